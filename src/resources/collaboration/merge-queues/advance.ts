// Runs a merge queue: asks what comes next, and does it, until nothing is left to do. Every step is written ahead (`pushes`), so
// that a step which was interrupted is completed or not begun.
import type { JobContext } from '#endpoint/job-context.ts';
import type { ServedScope, WriteScope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { branchRef, refNameProblem, shortNameOf } from '#git/refs/ref-name.ts';
import type { RefUpdate } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { getOrThrow } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { moveRefs, type RefMoveRequest, recoverRefs } from '#resources/code/pushes/index.ts';
import { queuePrefixes } from '#resources/code/ref-rules/index.ts';
import { mergeNames, type PullRow, writeMerge } from '#resources/collaboration/pulls/index.ts';
import type { FollowUp } from '#resources/follow-ups.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { lockRepository, updateRepository } from '#resources/repositories/repositories/index.ts';
import { nextStep, type QueueStep } from './decide.ts';
import { type GroupsEnd, recordGroupsEnd } from './follow-ups.ts';
import { mergeQueueLimits } from './limits.ts';
import { enqueueAdvance } from './queue-jobs.ts';
import { groupEvaluator, type KnownResults, type LoadedQueue, loadQueue, meaningOf, methodOf, resultKey } from './state.ts';
import { type EntryRow, type Group, groupOf, hasEntries, listEntries, type QueueKey, type Removal, saveChecks } from './store.ts';

/** A job makes so many steps, within so much time, and leaves the rest to the next one: each looks at all entries. */
const maxSteps = 100;
const advanceTime = fixedValue(mergeQueueLimits.advanceTime);
/** A branch that somebody moved meanwhile doesn't move. After so many failed moves in a row, the job fails, and is retried. */
const maxUnmoved = 3;

/** Does what a queue has to do now, within a time (one step at least). */
export async function advance(context: JobContext, key: QueueKey, maxTime = advanceTime): Promise<void> {
  const { stopping, scope } = context;
  await recoverRefs(scope, key.repository, [branchRef(key.branch)]);
  const until = performance.now() + maxTime;
  const results: KnownResults = new Map();
  let unmoved = 0;
  for (let step = 0; step < maxSteps && (step === 0 || performance.now() < until); step++) {
    stopping?.throwIfAborted();
    const queue = await loadQueue(scope, key, results);
    if (!queue) {
      await scope.change((write) => noteEmpty(write, key));
      return;
    }
    // As long as it takes no changes, its queues rest.
    if (queue.repo.archived || queue.repo.locked_by !== null) return;
    const next = nextStep(queue.state);
    if (next.kind === 'wait') return;
    unmoved = (await doStep(scope, queue, next, results)) ? 0 : unmoved + 1;
    if (unmoved === maxUnmoved) throw new Error(`The branches of a merge queue do not move (${next.kind})`);
  }
  await scope.change(({ tx }) => enqueueAdvance(tx, key));
}

/** Does a step. Returns whether it changed something: if not, the queue is loaded again, since its branches moved otherwise. */
function doStep(
  scope: ServedScope,
  queue: LoadedQueue,
  step: Exclude<QueueStep, { kind: 'wait' }>,
  results: KnownResults,
): Promise<boolean> {
  switch (step.kind) {
    case 'remove':
      return removeEntry(scope, queue, rowAt(queue, step.at), step.removal);
    case 'drop':
      return dropGroups(scope, queue, queue.rows.slice(step.from));
    case 'build':
      return buildGroup(scope, queue, rowAt(queue, step.at), step.base);
    case 'merge':
      return mergeEntries(scope, queue, queue.rows.slice(0, step.count), results);
  }
}

function rowAt({ rows }: LoadedQueue, at: number): EntryRow {
  const row = rows[at];
  if (!row) throw new Error('A merge queue decided about an entry that it does not have');
  return row;
}

/** Notes that a repository has no entries in queues, unless it got some meanwhile. */
async function noteEmpty({ tx }: WriteScope, { repository }: QueueKey): Promise<void> {
  const row = await lockRepository(tx, repository);
  if (row?.has_merge_queue && !(await hasEntries(tx, repository)))
    await updateRepository(tx, repository, { has_merge_queue: false });
}

type ServersMove = {
  readonly changes: readonly RefMoveRequest[];
  readonly actor: EntryRow['enqueued_by'];
  readonly following: readonly FollowUp[];
};

const tryToMove = (scope: ServedScope, { repo }: LoadedQueue, { changes, actor, following }: ServersMove): Promise<RefUpdate> =>
  moveRefs(scope, {
    repo,
    changes,
    actor: actor ?? undefined,
    workflowFiles: { allowed: true },
    evaluated: [],
    following,
  });

/** Moves the branches of a queue, with what follows. Returns whether they moved. */
const moveBranches = async (scope: ServedScope, queue: LoadedQueue, move: ServersMove): Promise<boolean> =>
  (await tryToMove(scope, queue, move)).updated;

/** The deletions of the branches of entries, as far as they exist. */
const deletionsOf = ({ refs }: LoadedQueue, rows: readonly EntryRow[]): RefMoveRequest[] =>
  rows.flatMap(({ group_ref: ref }) => {
    const from = ref === null ? undefined : refs.get(ref);
    return ref === null || from === undefined ? [] : [{ ref, from, to: null }];
  });

/** Removes an entry, in the name of who asked for it. */
const removeEntry = (scope: ServedScope, queue: LoadedQueue, row: EntryRow, removal: Removal): Promise<boolean> =>
  endGroups(scope, queue, {
    rows: [row],
    actor: row.dequeued_by ?? row.enqueued_by,
    followUp: { kind: 'merge-queues.remove', data: { issue: row.issue_id, removal } },
  });

/** Takes the groups of entries away. */
function dropGroups(scope: ServedScope, queue: LoadedQueue, rows: readonly EntryRow[]): Promise<boolean> {
  const grouped = rows.filter(({ group_ref }) => group_ref !== null);
  const issues = grouped.map(({ issue_id }) => issue_id);
  return endGroups(scope, queue, { rows: grouped, actor: null, followUp: { kind: 'merge-queues.drop', data: { issues } } });
}

type EndedGroups = {
  readonly rows: readonly EntryRow[];
  readonly actor: EntryRow['enqueued_by'];
  readonly followUp: GroupsEnd;
};

/** Deletes the branches of entries, with what follows. Where they have none, that is done at once. */
async function endGroups(scope: ServedScope, queue: LoadedQueue, { rows, actor, followUp }: EndedGroups): Promise<boolean> {
  const changes = deletionsOf(queue, rows);
  if (changes.length > 0) return moveBranches(scope, queue, { changes, actor, following: [followUp] });
  const move = { repo: queue.repo, actor: actor ?? undefined, now: scope.now };
  await scope.change((write) => recordGroupsEnd(write, move, followUp));
  return true;
}

/** Makes the merge of an entry upon those before it, and the branch by which it is tested. */
async function buildGroup(scope: ServedScope, queue: LoadedQueue, row: EntryRow, base: Group['base']): Promise<boolean> {
  const pull = getOrThrow(queue.pulls, row.issue_id);
  const prefix = queuePrefixes[scope.services.vocabulary];
  const ref = branchRef(`${prefix}/${row.base_ref}/pr-${pull.number}-${base}`);
  const problem = refNameProblem(ref);
  if (problem) return removeEntry(scope, queue, row, withoutBranch(`its name ${problem}`));
  const made = await mergeUpon(scope, queue, { row, pull, base });
  if (typeof made === 'object') return removeEntry(scope, queue, row, made);
  const group = { ref, base, head: made };
  const result = await tryToMove(scope, queue, {
    // A branch that is left over from a group that was lost is taken.
    changes: [{ ref, to: made }],
    actor: row.enqueued_by,
    following: [{ kind: 'merge-queues.build', data: { issue: row.issue_id, group } }],
  });
  // Such a branch would be in the way at each try.
  if (!result.updated && result.reason === 'folder')
    return removeEntry(scope, queue, row, withoutBranch(`the name of another branch is the beginning of ${shortNameOf(ref)}`));
  return result.updated;
}

/** Why an entry leaves that can't have a group. */
const withoutBranch = (why: string): Removal => ({
  reason: 'GIT_TREE_INVALID',
  message: `The branch of its group can't be made: ${why}.`,
});

/** The commit of an entry's merge, or why there can't be one. */
async function mergeUpon(
  scope: ServedScope,
  { repo, state }: LoadedQueue,
  { row, pull, base }: { row: EntryRow; pull: PullRow; base: Group['base'] },
): Promise<Group['head'] | Removal> {
  const by = row.enqueued_by === null ? undefined : await findAccountById(scope.db, row.enqueued_by);
  if (!by) return { reason: 'MANUAL', message: 'The account that added it was deleted.' };
  const names = await mergeNames(scope, { repo, pull, by });
  try {
    const wanted = { merge_method: methodOf(state.parameters) };
    return await writeMerge(repoOf(scope.git, repo.id), { repo, ...names }, pull, wanted, base);
  } catch (error) {
    if (error instanceof Refusal) return { reason: 'MERGE_CONFLICT', message: error.message };
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout'))
      return { reason: 'GIT_TREE_INVALID', message: 'Git could not make the merge within its limits.' };
    throw error;
  }
}

/** Gives the base the group of the last of some entries, if the rules still let it. */
async function mergeEntries(
  scope: ServedScope,
  queue: LoadedQueue,
  rows: readonly EntryRow[],
  results: KnownResults,
): Promise<boolean> {
  const { key, repo, pulls, state } = queue;
  const { parameters } = state;
  const last = rows.at(-1);
  if (!last) throw new Error('A merge queue decided to merge nothing');
  const evaluate = groupEvaluator(scope, { key, repo, parameters });
  const following: Extract<FollowUp, { kind: 'pulls.merge' }>[] = [];
  for (const row of rows) {
    const group = groupOf(row);
    if (!group) throw new Error('A merge queue decided to merge an entry without a group');
    const pull = getOrThrow(pulls, row.issue_id);
    const { checks, broken } = meaningOf(await evaluate({ row, pull, group }), { isLate: false, minutes: 0 });
    if (broken) return removeEntry(scope, queue, row, broken);
    // What had passed when it was decided may have been run again.
    const mayFail = parameters.grouping_strategy === 'HEADGREEN' && row !== last;
    if (checks !== 'success' && !mayFail) {
      results.delete(resultKey(row));
      await saveChecks(scope.db, [{ issue: row.issue_id, checks }], scope.now);
      return true;
    }
    const by = row.enqueued_by ?? undefined;
    const data = { issue: row.issue_id, commit: group.head, head: row.head_sha, app: row.via_app_id, by };
    following.push({ kind: 'pulls.merge', data });
  }
  // An entry that has jumped the queue meanwhile comes first.
  const present = await listEntries(scope.db, key);
  if (rows.some(({ issue_id }, at) => present[at]?.issue_id !== issue_id)) return true;
  // Follow-ups lock the rows of issues in this order, as everybody does.
  following.sort((a, b) => a.data.issue - b.data.issue);
  const issues = rows.map(({ issue_id }) => issue_id);
  return moveBranches(scope, queue, {
    changes: [{ ref: branchRef(key.branch), from: state.tip, to: last.group_head_sha }, ...deletionsOf(queue, rows)],
    actor: last.enqueued_by,
    following: [...following, { kind: 'merge-queues.merge', data: { issues } }],
  });
}
