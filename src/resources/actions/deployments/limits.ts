import { limitGroup } from '#lib/limits.ts';

export const deploymentLimits = limitGroup('deployments', 'Deployments', {
  payload: { value: 65_536, unit: 'count', fixed: true, of: 'characters of the payload of one deployment', past: '422' },
  contexts: { value: 100, unit: 'count', fixed: true, of: 'contexts that one deployment asks for', past: '422' },
  deactivated: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'earlier deployments that become inactive with one status, from the latest back',
    past: 'the others stay active until the next one',
  },
});
