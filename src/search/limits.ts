import { limitGroup } from '#lib/limits.ts';

export const searchLimits = limitGroup('search', 'Search', {
  concurrent: {
    value: 10,
    unit: 'count',
    of: 'searches that one process makes at once; at most half of its connections for requests',
    past: 'further ones wait, within their time for searching',
  },
  perCaller: { value: 4, unit: 'count', of: 'searches that are made at once for one caller', past: 'further ones wait' },
  anonymous: {
    value: 5,
    unit: 'count',
    of: 'searches that are made at once for all who are not signed in; at most half of all',
    past: 'further ones wait',
  },
  perAddress: {
    value: 2,
    unit: 'count',
    of: 'searches that are made at once for one address that is not signed in',
    past: 'further ones wait',
  },
  waiting: { value: 50, unit: 'count', of: 'searches of one caller that wait', past: '429 with Retry-After' },
  text: { value: 256, unit: 'count', fixed: true, of: 'characters of a query beside qualifiers and operators', past: '422' },
  operators: { value: 5, unit: 'count', fixed: true, of: 'operators of a query', past: '422' },
  depth: { value: 5, unit: 'count', fixed: true, of: 'levels of parentheses in a query', past: '422' },
  qualifiers: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'qualifiers of a query; qualifiers that name repositories or owners count only with `advanced_search`',
    past: '422',
  },
  lookups: {
    value: 10,
    unit: 'count',
    fixed: true,
    of:
      'qualifiers of a query that need a look into other tables (`field.…`, `status`, `linked`, those about reviews, ' +
      'sub-issues and blocked issues, `good-first-issues`, `help-wanted-issues`; of users `repos`, `language`)',
    past: '422',
  },
  values: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'values of all qualifiers of a query, including values in comma lists',
    past: '422',
  },
  results: { value: 1_000, unit: 'count', fixed: true, of: 'results of a search', past: '422' },
  repositories: {
    value: 4_000,
    unit: 'count',
    fixed: true,
    of: 'repositories that a search looks into',
    past: 'the ones that were pushed to last are searched',
  },
});
