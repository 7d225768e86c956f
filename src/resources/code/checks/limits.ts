import { limitGroup } from '#lib/limits.ts';

export const checkLimits = limitGroup('checks', 'Checks', {
  runs: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'check runs of one suite with the same name',
    past: 'the oldest are removed',
  },
  suites: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'check suites of one commit whose runs are listed together, from the latest back',
    past: 'runs of earlier ones are listed by suite alone',
  },
  annotations: { value: 50, unit: 'count', fixed: true, of: 'annotations of a check run in one request', past: '422' },
});
