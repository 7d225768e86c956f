// The transaction that records what an intent did. It does what follows as well, so that no crash comes between the two.
import type { RepositoryRow } from '#access/viewer.ts';
import type { ChangeScope, Needs, WriteScope } from '#endpoint/scope.ts';
import { recordAll } from '#events/record.ts';
import { eventsOfMoves, isBranchOrTag, type RefMove } from '#events/ref-moves.ts';
import { repoOf } from '#git/store.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { FollowedMove, FollowUp, FollowUpData, FollowUpKind, FollowUps } from '#resources/follow-ups.ts';
import { updateRepository } from '#resources/repositories/repositories/index.ts';
import { adoptFirstBranch } from './moves.ts';

/** The scope of what records moves of refs. It commits by itself, so it has no transaction yet. */
export type PushScope = ChangeScope & Needs<'followUps'>;

/** The handler of a kind that a row names, which may come from another version of the server. */
type AnyHandler = (scope: WriteScope, data: FollowUpData[FollowUpKind]) => Promise<(move: FollowedMove) => Promise<void>>;

/** Locks what follow-ups are going to change, before the repository is locked. What it returns does them. */
export async function lockFollowUps(
  scope: WriteScope,
  followUps: FollowUps,
  following: readonly FollowUp[],
): Promise<(move: FollowedMove) => Promise<void>> {
  const ready: Awaited<ReturnType<AnyHandler>>[] = [];
  for (const { kind, data } of following) {
    const handler = followUps[kind] as AnyHandler | undefined;
    if (!handler) throw new Error(`No family does what ${kind} says`);
    ready.push(await handler(scope, data));
  }
  return async (move) => {
    for (const follow of ready) await follow(move);
  };
}

/** The commands that aren't among those that are done. */
export function notDone(commands: readonly PushCommand[], done: readonly PushCommand[]): PushCommand[] {
  const refs = new Set(gather(done, 'ref'));
  return commands.filter(({ ref }) => !refs.has(ref));
}

type Recording = {
  row: RepositoryRow;
  moves: readonly RefMove[];
  actor: Id<'accounts'> | undefined;
};

/** Records moves: events, the time of the push, the default branch of an empty repository. */
export async function recordMoves({ tx, git, now }: WriteScope, { row, moves, actor }: Recording): Promise<void> {
  if (!moves.some(isBranchOrTag)) return;
  const adopted = await adoptFirstBranch(repoOf(git, row.id), moves, row.default_branch);
  const event = { owner: row.owner_id, repository: row.id, actor, at: now };
  await recordAll(tx, eventsOfMoves(event, moves, { defaultBranch: adopted ?? row.default_branch }));
  await updateRepository(tx, row.id, { pushed_at: now, ...(adopted === undefined ? {} : { default_branch: adopted }) });
}
