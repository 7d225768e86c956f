// Why a merge queue waits, entry by entry. Nothing is stored and nothing moves.
import type { Needs, Scope } from '#endpoint/scope.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { addMinutes, timestamp } from '#lib/time.ts';
import { findMergeQueue } from '#resources/code/ref-rules/index.ts';
import type { RuledRepository } from '#resources/code/rulesets/index.ts';
import { nextStep, type QueuedEntry, type QueueStep } from './decide.ts';
import { type LoadedQueue, readQueue } from './state.ts';

/** An entry of a queue, and what it waits for. `passed`: its checks have passed. */
type EntryExplanation = { readonly check: string; readonly passed: boolean; readonly because: string };

/**
 * What each entry of a queue waits for, in the order of the queue. `isDemanded`: a rule demands the queue, so that pushes and
 * merges are refused.
 */
type QueueExplanation = {
  readonly isDemanded: boolean;
  readonly steps: readonly EntryExplanation[];
  readonly waits: boolean;
  readonly message: string;
};

/** Says what the entries of the queue of a branch wait for. */
export async function explainQueue(
  scope: Scope & Needs<'refRules' | 'resourceLimits'>,
  repo: RuledRepository,
  branch: string,
): Promise<QueueExplanation> {
  const isDemanded = (await findMergeQueue(scope.db, repo, branchRef(branch))) !== undefined;
  const queue = await readQueue(scope, { repository: repo.id, branch }, new Map());
  if (!queue) return { isDemanded, steps: [], waits: false, message: 'the queue has no entries' };
  const next = nextStep(queue.state);
  const steps = queue.state.entries.map((entry, at): EntryExplanation => {
    const because = reasonOf(queue, { entry, at, next });
    return { check: nameAt(queue, at), passed: entry.group?.checks === 'success', because };
  });
  return { isDemanded, steps, waits: next.kind === 'wait', message: messageOf(queue, next) };
}

function nameAt({ rows, pulls }: LoadedQueue, at: number): string {
  const number = rows[at] && pulls.get(rows[at].issue_id)?.number;
  return number === undefined ? 'a deleted pull request' : `#${number}`;
}

function messageOf(queue: LoadedQueue, next: QueueStep): string {
  switch (next.kind) {
    case 'wait':
      return 'the queue waits';
    case 'remove':
      return `next, ${nameAt(queue, next.at)} leaves the queue`;
    case 'drop':
      return `next, the group of ${nameAt(queue, next.from)} and those behind it are made anew`;
    case 'merge':
      return `next, ${next.count === 1 ? 'one entry is' : `${next.count} entries are`} merged`;
    case 'build':
      return `next, the group of ${nameAt(queue, next.at)} is made`;
  }
}

type Explained = { readonly entry: QueuedEntry; readonly at: number; readonly next: QueueStep };

function reasonOf(queue: LoadedQueue, { entry, at, next }: Explained): string {
  const { obstacle, group } = entry;
  const { parameters, entries } = queue.state;
  if (obstacle) return `leaves the queue: ${obstacle.message}`;
  if (!group) return ungroupedReason(queue, { at, next });
  if (group.checks === 'pending') {
    const until = timestamp(addMinutes(group.requestedAt, parameters.check_response_timeout_minutes));
    return `waits for checks of ${group.head} until ${until}${group.missing === undefined ? '' : `: ${group.missing}`}`;
  }
  if (group.checks === 'failure') {
    const failure = group.missing ?? 'Required checks failed.';
    return parameters.grouping_strategy === 'HEADGREEN'
      ? `its checks failed, and it is merged only with one behind it that passes: ${failure}`
      : `its checks failed, and it leaves the queue once all before it have passed: ${failure}`;
  }
  const waiting = entries.findIndex((one) => one.group?.checks !== 'success');
  if (parameters.grouping_strategy === 'ALLGREEN' && waiting >= 0 && waiting < at)
    return `its checks have passed; it waits for ${nameAt(queue, waiting)}, which comes before it`;
  if (next.kind === 'merge' && at < next.count) return 'its checks have passed; it is merged next';
  const wait = timestamp(addMinutes(group.passedAt ?? queue.state.now, parameters.min_entries_to_merge_wait_minutes));
  return `its checks have passed; it waits until ${wait} for ${parameters.min_entries_to_merge} entries to be merged together`;
}

function ungroupedReason(queue: LoadedQueue, { at, next }: Pick<Explained, 'at' | 'next'>): string {
  const { entries, parameters } = queue.state;
  if (next.kind === 'build' && next.at === at) return 'its group is made next';
  const first = entries.findIndex(({ group }) => group === undefined);
  if (first < at) return `waits for the group of ${nameAt(queue, first)}, which comes before it`;
  const failed = entries.findIndex(({ group }) => group?.checks === 'failure');
  if (parameters.grouping_strategy === 'ALLGREEN' && failed >= 0)
    return `waits until ${nameAt(queue, failed)}, whose checks failed, has left the queue`;
  const pending = entries.filter(({ group }) => group?.checks === 'pending').length;
  return `waits until fewer groups wait for checks: there are ${pending}, and the rule allows ${parameters.max_entries_to_build}`;
}
