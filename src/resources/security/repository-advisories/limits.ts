import { kibi, limitGroup } from '#lib/limits.ts';

export const advisoryLimits = limitGroup('advisories', 'Security advisories of repositories', {
  ofRepository: { value: 10_000, unit: 'count', fixed: true, of: 'security advisories of one repository', past: '422' },
  reports: {
    value: 20,
    unit: 'count',
    fixed: true,
    of: 'reports of vulnerabilities by one account in one repository that wait for an answer',
    past: '422',
  },
  vulnerabilities: { value: 100, unit: 'count', fixed: true, of: 'vulnerable products of one security advisory', past: '422' },
  functions: { value: 100, unit: 'count', fixed: true, of: 'vulnerable functions of one product', past: '422' },
  productsSize: {
    value: 64 * kibi,
    unit: 'count',
    fixed: true,
    of: 'characters of the vulnerable products of one security advisory, with their functions',
    past: '422',
  },
  people: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people who collaborate on one security advisory; as many teams, and as many credits',
    past: '422',
  },
});
