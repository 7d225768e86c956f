// What a moved branch does to the pull requests that it is the head or the base of. It is decided by where the branch is now, so
// that it can be repeated, and pushes that were recorded late do no harm.

import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { findPushers, type Pushers } from '#events/read.ts';
import { record, recordAll } from '#events/record.ts';
import type { Recorded } from '#events/subscription.ts';
import { areAncestors } from '#git/history/ancestors.ts';
import { firstMergeOf } from '#git/history/merge.ts';
import { copyCommit } from '#git/objects/alternates.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchOf, branchRef } from '#git/refs/ref-name.ts';
import { type Branch, findBranch } from '#git/refs/refs.ts';
import { isAncestor } from '#git/refs/resolve.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findNewName } from '#resources/code/branch-names/index.ts';
import { enqueueIndexing, insertIssueEvents, type NewIssueEvent, updateIssue } from '#resources/collaboration/issues/index.ts';
import { addOpenIssues, findRepository, lockRepository } from '#resources/repositories/repositories/index.ts';
import { bringsSameChanges, changesBetween } from './changes.ts';
import { replaceCommits } from './commit-store.ts';
import { lockMerging, recordMerge } from './completing.ts';
import { diskOfBoth, movedBranches } from './heads.ts';
import { recordedPushers } from './pushers.ts';
import { writeHeadRef } from './refs.ts';
import { type NewBase, setBase, untested } from './rules.ts';
import {
  findFirstConcerned,
  findMergedFrom,
  findOpenBetween,
  findPullForUpdate,
  listConcernedByHead,
  listOpenInto,
  loadPulls,
  type PullRow,
  renameBase,
  renameHead,
  updatePull,
} from './store.ts';

type Push = Recorded<'push'>;

/** A branch that a push moved, and where it is now: null where it was deleted. */
type Moved = { repository: RepositoryRow; ref: string; tip: Oid | null; actor: Id<'accounts'> | undefined; at: Date };

/** A pull request whose head moved while it was opened, or while it was closed, gets the commits of that now. */
export async function followOpened(
  context: JobContext,
  { data, actor, at }: Recorded<'pull_request.opened' | 'pull_request.reopened'>,
): Promise<void> {
  const { db, services } = context;
  const pull = (await loadPulls(db, [data.issue])).get(data.issue);
  const repository = pull?.head_repository_id ? await findRepository(db, pull.head_repository_id) : undefined;
  if (!pull || !repository || pull.state === 'closed') return;
  const tip = (await findBranch(repoOf(services.git, repository.id), pull.head_ref))?.oid ?? null;
  await followHead(context, { repository, ref: pull.head_ref, tip, actor, at });
}

/** The position of the first event that may concern a pull request, in one statement; undefined where none does. */
export async function findNextConcerned(
  { db }: JobContext,
  events: readonly (Push | Recorded<'pull_request.opened' | 'pull_request.reopened'>)[],
): Promise<number | undefined> {
  const opened = events.findIndex(({ kind }) => kind !== 'push');
  const pushes = events.slice(0, opened < 0 ? events.length : opened);
  const moves = pushes.flatMap(({ repository, data }, at) =>
    repository === undefined || !('moves' in data)
      ? []
      : data.moves.map(({ ref, after }) => ({ at, repository, ref: branchOf(ref) ?? null, tip: after })),
  );
  return (moves.length === 0 ? undefined : await findFirstConcerned(db, moves)) ?? (opened < 0 ? undefined : opened);
}

/** Brings the pull requests that a push concerns up to date. */
export async function followPush(context: JobContext, event: Push): Promise<void> {
  const { db, services } = context;
  const repository = event.repository === undefined ? undefined : await findRepository(db, event.repository);
  if (!repository || event.data.initial) return;
  const gitRepository = repoOf(services.git, repository.id);
  if (!(await repositoryExists(gitRepository))) return;
  for (const ref of movedBranches(event.data.moves)) {
    const tip = (await findBranch(gitRepository, ref))?.oid ?? null;
    const moved = { repository, ref, tip, actor: event.actor, at: event.at };
    if (tip === null) await followRename(context, moved);
    await followHead(context, moved);
    await followBase(context, moved);
  }
}

/** A branch that was renamed takes its pull requests along. */
async function followRename({ db, change }: JobContext, { repository, ref, actor, at }: Moved): Promise<void> {
  const name = await findNewName(db, repository.id, ref);
  if (name === undefined) return;
  await change(async (scope) => {
    const byHead = gather(await renameHead(scope.tx, repository.id, ref, name), 'issue_id');
    const byBase = gather(await renameBase(scope.tx, repository.id, ref, name), 'issue_id');
    const about = { owner: repository.owner_id, repository: repository.id, actor, at };
    await recordAll(
      scope.tx,
      byBase.map((issue) => ({ ...about, kind: 'pull_request.base_renamed' as const, data: { issue } })),
    );
    await enqueueIndexing(scope.tx, [...byHead, ...byBase]);
  });
}

async function followHead(context: JobContext, moved: Moved): Promise<void> {
  const head = { repository: moved.repository.id, ref: moved.ref, tip: moved.tip };
  for (const pull of await listConcernedByHead(context.db, head)) {
    if (moved.tip === null) await headDeleted(context, pull, moved);
    else if (pull.head_is_deleted) await headRestored(context, pull, moved);
    else if (pull.head_sha !== moved.tip) await headMoved(context, pull, { ...moved, tip: moved.tip });
  }
}

/** The head of a pull request is gone, which closes it. */
const headDeleted = ({ change }: JobContext, { id }: PullRow, moved: Moved): Promise<void> =>
  change(async (scope) => {
    const pull = await findPullForUpdate(scope.tx, { id });
    if (!pull || pull.head_is_deleted) return;
    await updatePull(scope.tx, id, { head_is_deleted: true });
    await recordEvents(scope.tx, pull, moved, [{ event: 'head_ref_deleted' }]);
    await closeOpen(scope, pull, moved);
  });

const headRestored = ({ change }: JobContext, { id }: PullRow, moved: Moved): Promise<void> =>
  change(async (scope) => {
    const pull = await findPullForUpdate(scope.tx, { id });
    if (!pull?.head_is_deleted) return;
    await updatePull(scope.tx, id, { head_is_deleted: false });
    await recordEvents(scope.tx, pull, moved, [{ event: 'head_ref_restored' }]);
  });

/** So many earlier heads with the same changes are remembered. Approvals of still earlier ones are stale. */
const maxSameHeads = 100;

/** What is compared is compared again so often, where the pull request gets another base meanwhile. */
const comparisons = 10;

/** Whether a pull request still has the ends that were compared. */
const hasEndsOf = (pull: PullRow, compared: PullRow): boolean =>
  pull.head_sha === compared.head_sha && pull.base_ref === compared.base_ref && pull.merge_base_sha === compared.merge_base_sha;

/**
 * The head of an open pull request has other commits: they are brought here, and compared anew. What a comparison with one base
 * says of approvals isn't true of another base, so it counts for that alone with which it was made.
 */
async function headMoved(context: JobContext, pull: PullRow, moved: Moved & { tip: Oid }): Promise<void> {
  let row: PullRow | undefined = pull;
  for (let comparison = 1; row && row.head_sha === pull.head_sha; comparison++) {
    if (comparison > comparisons) throw new Error(`The base of pull request ${row.id} keeps changing`);
    if (await moveHead(context, row, moved)) return;
    row = (await loadPulls(context.db, [pull.id])).get(pull.id);
  }
}

/** Compares a pull request's new head with its base, and writes what follows. Returns false where it has other ends by then. */
async function moveHead(context: JobContext, row: PullRow, moved: Moved & { tip: Oid }): Promise<boolean> {
  const { change, services } = context;
  const { git } = services;
  const gitRepository = repoOf(git, row.repository_id);
  if (moved.repository.id !== row.repository_id) await copyCommit(gitRepository, repoOf(git, moved.repository.id), moved.tip);
  const base = (await findBranch(gitRepository, row.base_ref))?.oid ?? row.base_sha;
  const found = await changesBetween(diskOfBoth(git, { id: row.repository_id }, moved.repository), { base, head: moved.tip });
  const isForced = !(await isAncestor(gitRepository, row.head_sha, moved.tip));
  const isRewound = isForced && found?.commits.length === 0;
  const isSame = found !== undefined && (await bringsSameChanges(gitRepository, row, { ...found.changes, head_sha: moved.tip }));
  const isWritten = await change(async (scope) => {
    const pull = await findPullForUpdate(scope.tx, row);
    if (!pull || pull.state === 'closed') return true;
    if (!hasEndsOf(pull, row)) return false;
    const before = { before: pull.head_sha, after: moved.tip };
    // Who reopened it, or was the first of several, pushed something else, or nothing.
    const pushed = { ref: branchRef(moved.ref), tip: moved.tip, since: pull.head_sha };
    const pushers = await findPushers(scope.tx, moved.repository.id, pushed);
    const newHead = {
      head_sha: moved.tip,
      // Who brings what the base has has changed nothing that is reviewed.
      head_pushed_by: isSame ? pull.head_pushed_by : (pushers?.latest ?? null),
      ...pushersAfter(pull, pushers),
      same_heads: isSame ? [...pull.same_heads, pull.head_sha].slice(-maxSameHeads) : [],
    };
    await updatePull(scope.tx, pull.id, { ...newHead, ...(found ? { base_sha: base, ...found.changes } : {}), ...untested });
    if (found) await replaceCommits(scope.tx, pull.id, found.commits, moved.at);
    await updateIssue(scope.tx, pull.id, { updated_at: moved.at });
    await recordEvents(scope.tx, pull, moved, isForced ? [{ event: 'head_ref_force_pushed', commit: moved.tip }] : []);
    await record(scope.tx, {
      ...(await eventIn(scope.tx, pull, moved)),
      kind: 'pull_request.synchronize',
      data: { issue: pull.id, ...before },
    });
    // There is nothing to be merged any more.
    if (isRewound || !found) await closeOpen(scope, pull, moved);
    return true;
  });
  if (isWritten) await writeHeadRef(gitRepository, { number: row.number, head_sha: moved.tip });
  return isWritten;
}

/** The people who pushed to a head, after it has moved: a later one vouches for none before it. */
function pushersAfter({ head_pushers, has_unknown_pusher }: PullRow, found: Pushers | undefined) {
  return recordedPushers([...head_pushers, ...(found?.all ?? [])], has_unknown_pusher || !found?.isComplete);
}

/**
 * Pull requests into a branch that has got their commits are merged; those into a deleted branch get another base, or are closed.
 */
async function followBase(context: JobContext, moved: Moved): Promise<void> {
  const { db, change, services } = context;
  const { repository, ref, tip } = moved;
  const open = await listOpenInto(db, repository.id, [ref]);
  if (tip === null) return baseDeleted(context, moved, open);
  const gitRepository = repoOf(services.git, repository.id);
  const arrived = await areAncestors(
    gitRepository,
    open.map(({ head_sha }) => ({ ancestor: head_sha, descendant: tip })),
  );
  for (const [at, pull] of open.entries()) {
    if (!arrived[at]) continue;
    const commit = await firstMergeOf(gitRepository, { head: pull.head_sha, tip });
    const move = { repo: repository, actor: moved.actor, now: moved.at };
    await change(async (scope) => {
      const merging = await lockMerging(scope.tx, pull.id);
      if (merging) await recordMerge(scope, move, merging, { commit, app: null, head: pull.head_sha });
    });
  }
}

/**
 * The base of open pull requests is gone. Where it was itself merged by a pull request, they are for the base of that from now
 * on, as in the public API; what has nothing to bring there, or is asked for already, is closed.
 */
async function baseDeleted(context: JobContext, moved: Moved, open: readonly PullRow[]): Promise<void> {
  const { db, services } = context;
  const { repository, ref } = moved;
  const gitRepository = repoOf(services.git, repository.id);
  const merged = open.length === 0 ? undefined : await findMergedFrom(db, repository.id, ref);
  const base = merged && (await findBranch(gitRepository, merged.base_ref));
  for (const pull of open) {
    let row: PullRow | undefined = pull;
    for (let comparison = 1; row; comparison++) {
      if (comparison > comparisons) throw new Error(`The head of pull request ${row.id} keeps changing`);
      if (await leaveBase(context, row, moved, { merged, base })) break;
      row = (await loadPulls(db, [pull.id])).get(pull.id);
    }
  }
}

/** Gives a pull request the base of the one that merged its own, or closes it. Returns false where its head moved meanwhile. */
async function leaveBase(
  { change, services }: JobContext,
  row: PullRow,
  moved: Moved,
  { merged, base }: { merged: PullRow | undefined; base: Branch | undefined },
): Promise<boolean> {
  const found = base && (await changesBetween(repoOf(services.git, moved.repository.id), { base: base.oid, head: row.head_sha }));
  const newBase = found && found.commits.length > 0 ? { base, head: row.head_sha, ...found } : undefined;
  return change(async (scope) => {
    const pull = await findPullForUpdate(scope.tx, row);
    if (pull?.state !== 'open' || pull.base_ref !== moved.ref) return true;
    if (pull.head_sha !== row.head_sha) return false;
    if (newBase && (await retarget(scope, pull, moved, newBase))) return true;
    if (merged) await recordEvents(scope.tx, pull, moved, [{ event: 'automatic_base_change_failed' }]);
    await closeOpen(scope, pull, moved);
    return true;
  });
}

/**
 * Gives a pull request another base, unless that is its head, or another pull request asks for the same. The repository stays
 * locked for that.
 */
async function retarget(scope: WriteScope, pull: PullRow, moved: Moved, newBase: NewBase): Promise<boolean> {
  const { short: ref } = newBase.base;
  if (pull.head_ref === ref && pull.head_repository_id === pull.repository_id) return false;
  await lockRepository(scope.tx, pull.repository_id);
  if (await findOpenBetween(scope.tx, pull.repository_id, { ...pull, base_ref: ref })) return false;
  await recordEvents(scope.tx, pull, moved, [{ event: 'automatic_base_change_succeeded' }]);
  await setBase(scope, await eventIn(scope.tx, pull, moved), pull, newBase);
  await updateIssue(scope.tx, pull.id, { updated_at: moved.at });
  return true;
}

/** What the events of a pull request have in common. The branch that moved may be in a fork. */
async function eventIn(tx: Tx, { repository_id }: PullRow, { repository, actor, at }: Moved) {
  const base = repository.id === repository_id ? repository : await findRepository(tx, repository_id);
  return { owner: (base ?? repository).owner_id, repository: repository_id, actor, at };
}

const recordEvents = (tx: Tx, pull: PullRow, { actor, at }: Moved, events: readonly NewIssueEvent[]): Promise<void> =>
  insertIssueEvents(tx, { repository: pull.repository_id, issue: pull.id, actor: actor ?? null, app: null, at }, events);

/** Closes a pull request that is open. */
async function closeOpen(scope: WriteScope, pull: PullRow, moved: Moved): Promise<void> {
  if (pull.state === 'closed') return;
  const { actor, at } = moved;
  await updateIssue(scope.tx, pull.id, { state: 'closed', closed_at: at, closed_by: actor ?? null, updated_at: at });
  await recordEvents(scope.tx, pull, moved, [{ event: 'closed' }]);
  await record(scope.tx, { ...(await eventIn(scope.tx, pull, moved)), kind: 'pull_request.closed', data: { issue: pull.id } });
  addOpenIssues(scope.tx, pull.repository_id, -1);
}
