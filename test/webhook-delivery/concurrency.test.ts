import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { initialValues } from '#lib/limits.ts';
import { deliveryConcurrency } from '#webhook-delivery/concurrency.ts';
import { deliveryLimits } from '#webhook-delivery/limits.ts';
import type { DueHook } from '#webhook-delivery/take.ts';

const limitsOf = (concurrent: number, concurrentPerOwner: number, concurrentPerHook = 8) => ({
  ...initialValues(deliveryLimits),
  concurrent,
  concurrentPerOwner,
  concurrentPerHook,
});

const due = (owner_id: number, hook: number, failures = 0): DueHook => ({
  owner_id,
  hook_id: asId<'webhooks'>(hook),
  failures,
  paused: false,
});

type Concurrency = ReturnType<typeof deliveryConcurrency>;

/** Begins all that is admitted. Returns what began, with the ends. */
const begin = (concurrency: Concurrency, hooks: readonly DueHook[]) =>
  concurrency.admit(hooks).shares.flatMap(({ owner, hook, count }) =>
    Array.from({ length: count }, () => ({
      owner,
      hook,
      end: concurrency.begin({
        owner_id: owner,
        hook_id: hook,
        bytes: 1,
        failures: hooks.find((one) => one.hook_id === hook)?.failures ?? 0,
      }),
    })),
  );

test('a hook begins with one place, doubles them with each success, and falls back to one', () => {
  const concurrency = deliveryConcurrency(limitsOf(100, 100));
  const counts: number[] = [];
  for (let i = 0; i < 5; i++) {
    const running = begin(concurrency, [due(1, 1)]);
    counts.push(running.length);
    running[0]?.end('succeeded');
    for (const { end } of running.slice(1)) end('succeeded');
  }
  expect(counts).toEqual([1, 2, 8, 8, 8]);
  const running = begin(concurrency, [due(1, 1)]);
  for (const { end } of running) end('failed');
  expect(begin(concurrency, [due(1, 1, 8)])).toHaveLength(1);
});

test('hooks of one owner take turns, the last that was served comes last', () => {
  const concurrency = deliveryConcurrency(limitsOf(100, 4));
  const hooks = [1, 2, 3, 4, 5].map((hook) => due(1, hook));
  const served: number[] = [];
  for (let i = 0; i < 5; i++) {
    const running = begin(concurrency, hooks);
    served.push(...running.map(({ hook }) => hook));
    for (const { end } of running) end('failed');
  }
  expect(served).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
});

test('failing hooks hold half of the places, those and unknown ones three quarters, in all and for an owner', () => {
  const concurrency = deliveryConcurrency(limitsOf(100, 8));
  const failing = Array.from({ length: 20 }, (_, hook) => due(1, hook + 1, 3));
  expect(begin(concurrency, failing)).toHaveLength(4);
  const unknown = Array.from({ length: 20 }, (_, hook) => due(1, hook + 100));
  expect(begin(concurrency, unknown)).toHaveLength(2);
  const many = Array.from({ length: 40 }, (_, owner) => [1, 2, 3, 4].map((hook) => due(owner + 2, owner * 10 + hook + 1_000, 1)));
  expect(begin(concurrency, many.flat())).toHaveLength(46);
});

test('whatever is due: no limit is passed, and every owner with room is served before one is served twice', () => {
  const hooks = fc.array(
    fc.record({ owner: fc.integer({ min: 1, max: 6 }), hook: fc.integer({ min: 1, max: 30 }), failures: fc.nat(1) }),
  );
  const rounds = fc.array(fc.record({ hooks, ends: fc.array(fc.constantFrom('succeeded', 'failed')) }), { maxLength: 8 });
  fc.assert(
    fc.property(rounds, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 8 }), (wanted, total, perOwner) => {
      const concurrency = deliveryConcurrency(limitsOf(total, perOwner));
      const running: { owner: number; hook: number; end: (how: 'succeeded' | 'failed') => void }[] = [];
      for (const round of wanted) {
        const list = [...new Map(round.hooks.map((one) => [one.hook, due(one.owner, one.hook, one.failures)])).values()];
        const began = begin(concurrency, list);
        running.push(...began);
        expect(running.length).toBeLessThanOrEqual(total);
        const owners = Map.groupBy(running, ({ owner }) => owner);
        for (const its of owners.values()) expect(its.length).toBeLessThanOrEqual(perOwner);
        const perHook = Map.groupBy(running, ({ hook }) => hook);
        for (const its of perHook.values()) expect(its.length).toBeLessThanOrEqual(8);
        for (const how of round.ends) running.shift()?.end(how);
      }
      for (const { end } of running) end('succeeded');
      expect(concurrency.isFull).toBe(false);
      expect(concurrency.fullOwners()).toEqual([]);
      const fresh = Array.from({ length: total }, (_, owner) => due(100 + owner, 1_000 + owner));
      const first = begin(concurrency, fresh);
      expect(new Set(first.map(({ owner }) => owner)).size).toBe(first.length);
    }),
    { numRuns: 300 },
  );
});
