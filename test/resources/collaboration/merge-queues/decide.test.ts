import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStep, type QueuedEntry, type QueueState } from '#resources/collaboration/merge-queues/decide.ts';
import { defaults } from './setting.ts';

const start = new Date('2026-01-01T00:00:00Z');
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const removal = { reason: 'MANUAL', message: 'gone' } as const;

type Action =
  | { readonly kind: 'add' }
  | { readonly kind: 'push' }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'check'; readonly at: number; readonly passes: boolean }
  | { readonly kind: 'pass'; readonly minutes: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('add' as const) }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('push' as const) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(9) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('check' as const), at: fc.nat(9), passes: fc.boolean() }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.nat(4) }), weight: 2 },
);

const parameters = fc.record({
  check_response_timeout_minutes: fc.constant(60),
  grouping_strategy: fc.constantFrom('ALLGREEN' as const, 'HEADGREEN' as const),
  max_entries_to_build: fc.nat(3),
  max_entries_to_merge: fc.integer({ min: 2, max: 4 }),
  merge_method: fc.constant('MERGE' as const),
  min_entries_to_merge: fc.nat(2),
  min_entries_to_merge_wait_minutes: fc.nat(5),
});

type Entry = QueuedEntry & { readonly id: number };

/** A queue that does each step at once, and what has become of its entries. */
function simulate(chosen: QueueState['parameters'], actions: readonly Action[]) {
  let entries: Entry[] = [];
  let tip = 'base 0';
  let made = 0;
  let minutes = 0;
  const merged: number[] = [];
  const removed: number[] = [];
  const settle = () => {
    for (let step = 0; step < 1_000; step++) {
      const next = nextStep({ parameters: chosen, tip, entries, now: later(minutes) });
      if (next.kind === 'wait') return;
      if (next.kind === 'remove') removed.push(...entries.splice(next.at, 1).map(({ id }) => id));
      if (next.kind === 'drop') entries = entries.map((one, at) => (at < next.from ? one : { ...one, group: undefined }));
      if (next.kind === 'build') {
        const group = { base: next.base, head: `head ${++made}`, checks: 'pending', failure: undefined } as const;
        entries = entries.map((one, at) =>
          at === next.at ? { ...one, group: { ...group, requestedAt: later(minutes), passedAt: undefined } } : one,
        );
      }
      if (next.kind === 'merge') {
        const gone = entries.splice(0, next.count);
        const last = gone.at(-1)?.group;
        expect(last?.checks).toBe('success');
        expect(gone[0]?.group?.base).toBe(tip);
        for (const [at, { group }] of gone.entries()) {
          if (chosen.grouping_strategy === 'ALLGREEN') expect(group?.checks).toBe('success');
          if (at > 0) expect(group?.base).toBe(gone[at - 1]?.group?.head);
        }
        tip = last?.head ?? '';
        merged.push(...gone.map(({ id }) => id));
      }
    }
    throw new Error('The queue does not come to rest');
  };
  const setChecks = (at: number, passes: boolean) => {
    entries = entries.map((one, index) =>
      index !== at || one.group?.checks !== 'pending'
        ? one
        : {
            ...one,
            group: { ...one.group, checks: passes ? 'success' : 'failure', passedAt: passes ? later(minutes) : undefined },
          },
    );
  };
  let added = 0;
  for (const one of actions) {
    if (one.kind === 'add') entries.push({ id: ++added, obstacle: undefined, group: undefined });
    if (one.kind === 'push') tip = `base ${++made}`;
    if (one.kind === 'remove') entries = entries.map((entry, at) => (at === one.at ? { ...entry, obstacle: removal } : entry));
    if (one.kind === 'check') setChecks(one.at, one.passes);
    if (one.kind === 'pass') minutes += one.minutes;
    settle();
  }
  // In the end all checks pass, and the queue runs empty.
  for (let round = 0; entries.length > 0 && round < 1_000; round++) {
    for (const at of entries.keys()) setChecks(at, true);
    minutes += 10;
    settle();
  }
  return { left: entries.length, merged, removed, added };
}

test('a branch gets green groups alone, in order, and every entry is merged or removed', () => {
  fc.assert(
    fc.property(parameters, fc.array(action, { maxLength: 60 }), (chosen, actions) => {
      const { left, merged, removed, added } = simulate(chosen, actions);
      expect(left).toBe(0);
      expect(merged).toEqual(merged.toSorted((a, b) => a - b));
      expect([...merged, ...removed].toSorted((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, at) => at + 1));
    }),
    { numRuns: 300 },
  );
});

test('fifty entries whose checks take a minute are merged in ten minutes, five at a time', () => {
  const chosen = { ...defaults, min_entries_to_merge: 5, min_entries_to_merge_wait_minutes: 5 } as QueueState['parameters'];
  let entries: QueuedEntry[] = Array.from({ length: 50 }, () => ({ obstacle: undefined, group: undefined }));
  let tip = 'base';
  let made = 0;
  let minute = 0;
  for (; entries.length > 0 && minute < 60; minute++) {
    entries = entries.map((one) =>
      one.group && one.group.requestedAt < later(minute)
        ? { ...one, group: { ...one.group, checks: 'success', passedAt: later(minute) } }
        : one,
    );
    for (;;) {
      const next = nextStep({ parameters: chosen, tip, entries, now: later(minute) });
      if (next.kind === 'build') {
        const group = { base: next.base, head: `head ${++made}`, checks: 'pending', failure: undefined } as const;
        entries[next.at] = { obstacle: undefined, group: { ...group, requestedAt: later(minute), passedAt: undefined } };
      } else if (next.kind === 'merge') {
        tip = entries.splice(0, next.count).at(-1)?.group?.head ?? '';
      } else break;
    }
  }
  expect(entries).toEqual([]);
  expect(minute).toBeLessThanOrEqual(12);
});
