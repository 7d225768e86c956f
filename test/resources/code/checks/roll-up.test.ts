import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rollUp } from '#resources/code/checks/roll-up.ts';
import { conclusions, statuses } from '#resources/code/checks/schemas.ts';
import type { RunCount } from '#resources/code/checks/store.ts';

const done = (conclusion: RunCount['conclusion'], count = 1): RunCount => ({ status: 'completed', conclusion, count });
const open = (status: 'queued' | 'in_progress', count = 1): RunCount => ({ status, conclusion: null, count });

test.each([
  [[], 'queued', null, 0],
  [[open('queued', 3)], 'queued', null, 3],
  [[open('queued'), open('in_progress')], 'in_progress', null, 2],
  [[open('queued'), done('success')], 'in_progress', null, 2],
  [[open('in_progress'), done('failure', 4)], 'in_progress', null, 5],
  [[done('timed_out'), done('success'), done('neutral')], 'completed', 'timed_out', 3],
  [[done('success'), done('failure'), done('cancelled', 2)], 'completed', 'failure', 4],
  [[done('failure'), done('action_required')], 'completed', 'action_required', 2],
  [[done('stale'), done('success')], 'completed', 'stale', 2],
  [[done('skipped'), done('neutral'), done('success')], 'completed', 'success', 3],
  [[done('skipped'), done('neutral')], 'completed', 'neutral', 2],
  [[done('skipped', 2)], 'completed', 'skipped', 2],
] as const)('%j is %s, %s', (runs, status, conclusion, latest_runs_count) => {
  expect(rollUp(runs)).toEqual({ status, conclusion, latest_runs_count });
});

test('a suite has a conclusion exactly if all of its runs have one, whatever their order', () => {
  const run = fc.oneof(
    fc.constantFrom(...conclusions).map((conclusion) => done(conclusion)),
    fc.constantFrom('queued' as const, 'in_progress' as const).map((status) => open(status)),
  );
  fc.assert(
    fc.property(fc.array(run, { minLength: 1 }), (runs) => {
      const result = rollUp(runs);
      expect(rollUp(runs.toReversed())).toEqual(result);
      expect(statuses).toContain(result.status);
      expect(result.status === 'completed').toBe(runs.every(({ conclusion }) => conclusion !== null));
      expect(result.conclusion !== null).toBe(result.status === 'completed');
      if (result.conclusion !== null) expect(runs.map(({ conclusion }) => conclusion)).toContain(result.conclusion);
    }),
  );
});
