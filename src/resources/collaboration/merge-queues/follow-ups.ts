// What follows the moves of a queue's branches, in the transactions that record them.
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { insertIssueEvents } from '#resources/collaboration/issues/index.ts';
import type { FollowedMove, FollowUp, FollowUps } from '#resources/follow-ups.ts';
import type { GroupData } from './events.ts';
import { enqueueAdvance } from './queue-jobs.ts';
import {
  clearGroups,
  type EntryRow,
  findEntryForUpdate,
  type Group,
  groupOf,
  type Removal,
  removeEntries,
  setGroup,
} from './store.ts';

declare module '#resources/follow-ups.ts' {
  interface FollowUpData {
    /** The branch of an entry's group is there. */
    'merge-queues.build': { issue: Id<'issues'>; group: Group };
    /** The branches of groups are gone, which are made anew. */
    'merge-queues.drop': { issues: readonly Id<'issues'>[] };
    /** An entry leaves its queue. The branch of its group, if it had one, is gone. */
    'merge-queues.remove': { issue: Id<'issues'>; removal: Removal };
    /** The base has the group of the last of these entries, and the branches of all are gone. */
    'merge-queues.merge': { issues: readonly Id<'issues'>[] };
  }
}

type Kind = 'merge-queues.build' | 'merge-queues.drop' | 'merge-queues.remove' | 'merge-queues.merge';

function groupDataOf(entry: EntryRow): GroupData[] {
  const group = groupOf(entry);
  return group ? [{ issue: entry.issue_id, branch: entry.base_ref, ...group }] : [];
}

const inMove = ({ repo, actor, now }: FollowedMove) => ({ owner: repo.owner_id, repository: repo.id, actor, at: now });

const recordDestroyed = (
  { tx }: WriteScope,
  move: FollowedMove,
  entries: readonly EntryRow[],
  reason: 'merged' | 'invalidated' | 'dequeued',
): Promise<void> =>
  recordAll(
    tx,
    entries
      .flatMap(groupDataOf)
      .map((group) => ({ ...inMove(move), kind: 'merge_group.destroyed' as const, data: { ...group, reason } })),
  );

/** Ends the entry of a pull request, and tells the pull request's timeline, its webhooks and the people who follow it. */
async function recordRemoval(scope: WriteScope, move: FollowedMove, issue: Id<'issues'>, removal: Removal): Promise<void> {
  const { tx } = scope;
  const removed = await removeEntries(tx, [issue], removal, move.now);
  if (removed.length === 0) return;
  await recordDestroyed(scope, move, removed, 'dequeued');
  const event = { repository: move.repo.id, issue, actor: move.actor ?? null, app: null, at: move.now };
  await insertIssueEvents(tx, event, [{ event: 'removed_from_merge_queue' }]);
  await record(tx, { ...inMove(move), kind: 'pull_request.dequeued', data: { issue, reason: removal.reason } });
  for (const { repository_id: repository, base_ref: branch } of removed) await enqueueAdvance(tx, { repository, branch });
}

/** Takes groups away that were made upon something that their base won't get. */
async function recordDropped(scope: WriteScope, move: FollowedMove, issues: readonly Id<'issues'>[]): Promise<void> {
  await recordDestroyed(scope, move, await clearGroups(scope.tx, issues), 'invalidated');
}

/** What follows when groups end without a merge. */
export type GroupsEnd = Extract<FollowUp, { kind: 'merge-queues.drop' | 'merge-queues.remove' }>;

/** Does what follows the end of groups. */
export const recordGroupsEnd = (scope: WriteScope, move: FollowedMove, end: GroupsEnd): Promise<void> =>
  end.kind === 'merge-queues.drop'
    ? recordDropped(scope, move, end.data.issues)
    : recordRemoval(scope, move, end.data.issue, end.data.removal);

export const mergeQueueFollowUps: FollowUps<Kind> = {
  async 'merge-queues.build'(scope, { issue, group }) {
    const { tx } = scope;
    return async (move) => {
      const entry = await findEntryForUpdate(tx, issue);
      if (!entry) return;
      await setGroup(tx, issue, group, move.now);
      const data = { issue, branch: entry.base_ref, ...group };
      await record(tx, { ...inMove(move), kind: 'merge_group.checks_requested', data });
      await enqueueAdvance(tx, { repository: entry.repository_id, branch: entry.base_ref });
    };
  },
  async 'merge-queues.drop'(scope, data) {
    return (move) => recordGroupsEnd(scope, move, { kind: 'merge-queues.drop', data });
  },
  async 'merge-queues.remove'(scope, data) {
    return (move) => recordGroupsEnd(scope, move, { kind: 'merge-queues.remove', data });
  },
  async 'merge-queues.merge'(scope, { issues }) {
    return async (move) => {
      const removal = { reason: 'MERGE', message: 'The pull request was merged.' } as const;
      const removed = await removeEntries(scope.tx, issues, removal, move.now);
      await recordDestroyed(scope, move, removed, 'merged');
      await recordAll(
        scope.tx,
        removed.map(({ issue_id: issue }) => ({
          ...inMove(move),
          kind: 'pull_request.dequeued' as const,
          data: { issue, reason: 'MERGE' as const },
        })),
      );
    };
  },
};
