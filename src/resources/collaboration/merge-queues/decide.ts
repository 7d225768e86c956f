// What a merge queue does next, decided from its state alone. `advance.ts` does it and asks again.
import type { Oid } from '#git/objects/oid.ts';
import { addMinutes } from '#lib/time.ts';
import type { QueueParameters } from '#resources/code/ref-rules/index.ts';
import type { Removal } from './store.ts';

/** An entry of a queue. */
export type QueuedEntry = {
  /** Why it can't stay in the queue, whatever its checks say. */
  readonly obstacle: Removal | undefined;
  /** Its merge upon those before it; undefined before it is made. */
  readonly group: QueuedGroup | undefined;
};

type QueuedGroup = {
  readonly base: Oid;
  readonly head: Oid;
  readonly checks: 'pending' | 'success' | 'failure';
  /** Why it would be removed for its checks. */
  readonly failure: Removal | undefined;
  /** Which checks have not passed, as far as it is known. */
  readonly missing?: string | undefined;
  readonly requestedAt: Date;
  readonly passedAt: Date | undefined;
};

/** The state of a queue: its entries in their order, and the commit that its branch has. */
export type QueueState = {
  readonly parameters: QueueParameters;
  readonly tip: Oid;
  readonly entries: readonly QueuedEntry[];
  readonly now: Date;
};

/**
 * The next step. Numbers are positions in the queue, from 0. `drop`: the groups of this entry and of all after it are made upon
 * something that the branch won't get. `merge`: the branch gets the group of the last of so many entries.
 */
export type QueueStep =
  | { readonly kind: 'remove'; readonly at: number; readonly removal: Removal }
  | { readonly kind: 'drop'; readonly from: number }
  | { readonly kind: 'merge'; readonly count: number }
  | { readonly kind: 'build'; readonly at: number; readonly base: Oid }
  | { readonly kind: 'wait' };

/** In parameters, 0 stands for no maximum. */
const orUnlimited = (maximum: number): number => (maximum === 0 ? Number.POSITIVE_INFINITY : maximum);

const noFailure: Removal = { reason: 'CI_FAILURE', message: 'Required checks failed.' };

/** Decides the next step of a queue. Repeated steps end in `wait`, unless the state changes otherwise. */
export function nextStep(state: QueueState): QueueStep {
  const { entries, tip, parameters } = state;
  for (const [at, { obstacle }] of entries.entries()) if (obstacle) return { kind: 'remove', at, removal: obstacle };
  let base = tip;
  let built = 0;
  for (const { group } of entries) {
    if (group?.base !== base) break;
    base = group.head;
    built++;
  }
  const stale = entries.findIndex(({ group }, at) => at >= built && group !== undefined);
  if (stale >= 0) return { kind: 'drop', from: stale };
  const groups = entries.slice(0, built).flatMap(({ group }) => group ?? []);
  const isStrict = parameters.grouping_strategy === 'ALLGREEN';
  const ready = isStrict ? countGreen(groups) : lastGreen(groups.slice(0, orUnlimited(parameters.max_entries_to_merge)));
  const merging = mergeStep(state, groups, ready);
  if (merging) return merging;
  const failed = isStrict ? failedAfter(groups, ready) : failedWindow(state, groups, ready);
  if (failed) return failed;
  const pending = groups.filter(({ checks }) => checks === 'pending');
  // What would be made upon a group that failed would be made again without it.
  const isWorthIt = !isStrict || groups.every(({ checks }) => checks !== 'failure');
  if (built < entries.length && pending.length < orUnlimited(parameters.max_entries_to_build) && isWorthIt)
    return { kind: 'build', at: built, base };
  return { kind: 'wait' };
}

/** How many groups have passed, with all before them. */
function countGreen(groups: readonly QueuedGroup[]): number {
  const first = groups.findIndex(({ checks }) => checks !== 'success');
  return first < 0 ? groups.length : first;
}

/** How many entries come with the last group that has passed. */
const lastGreen = (groups: readonly QueuedGroup[]): number => groups.findLastIndex(({ checks }) => checks === 'success') + 1;

/** Merges what is ready, unless more entries are waited for. */
function mergeStep({ parameters, now }: QueueState, groups: readonly QueuedGroup[], ready: number): QueueStep | undefined {
  const { min_entries_to_merge: min, max_entries_to_merge: max, min_entries_to_merge_wait_minutes: minutes } = parameters;
  if (ready === 0) return undefined;
  const count = Math.min(ready, orUnlimited(max));
  if (count >= min) return { kind: 'merge', count };
  const passed = groups.slice(0, count).flatMap(({ passedAt }) => passedAt ?? []);
  const until = addMinutes(new Date(Math.min(...passed.map(Number))), minutes);
  return until <= now ? { kind: 'merge', count } : undefined;
}

/** The first group that failed is removed once all before it have passed: until then one of these may be the cause. */
function failedAfter(groups: readonly QueuedGroup[], ready: number): QueueStep | undefined {
  const group = groups[ready];
  return group?.checks === 'failure' ? { kind: 'remove', at: ready, removal: group.failure ?? noFailure } : undefined;
}

/** The first entry is removed when neither its group nor one that it could be merged with can pass any more. */
function failedWindow({ parameters, entries }: QueueState, groups: readonly QueuedGroup[], ready: number): QueueStep | undefined {
  const size = Math.min(entries.length, orUnlimited(parameters.max_entries_to_merge));
  const own = groups.slice(0, size);
  if (ready > 0 || own.length < size || own.some(({ checks }) => checks !== 'failure')) return undefined;
  return own[0] && { kind: 'remove', at: 0, removal: own[0].failure ?? noFailure };
}
