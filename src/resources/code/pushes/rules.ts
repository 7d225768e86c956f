import type { Needs, WriteScope } from '#endpoint/scope.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { repoOf } from '#git/store.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { FollowUp } from '#resources/follow-ups.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { movesOf } from './moves.ts';
import { listMadeLater } from './recorded-moves.ts';
import { lockFollowUps, notDone, type PushScope, recordMoves } from './recording.ts';
import { recoverIntent, recoverIntents } from './recovery.ts';
import * as store from './store.ts';

/**
 * How a change of refs is always recorded, although Git and the database can't commit together:
 * 1. an intent is committed to the database, with what has to follow;
 * 2. Git moves the refs;
 * 3. one transaction removes the intent, records the events of what moved, and does what follows. A crash before 2 leaves an
 *    intent whose refs haven't moved: there is no event. A crash after it leaves an intent whose refs have moved:
 *    `recoverIntents` does step 3, at the next change of one of these refs, at the next start, or within a minute.
 */

/** What moving refs takes: rules judge each move before it happens. */
export type MoveScope = PushScope & Needs<'refRules'>;

/** An intent that this process began. */
export type OpenIntent = {
  id: Id<'ref_changes'>;
  repository: RepositoryId;
  actor: Id<'accounts'> | undefined;
  /** Each has the current value of its ref. Recovery needs it to tell this change from another one. */
  commands: readonly PushCommand[];
  following: readonly FollowUp[];
  startedAt: Date;
};

type NewIntent = Omit<OpenIntent, 'id' | 'startedAt'>;

/** Thrown for refs that nobody can move or delete. */
export class FixedRefs extends Error {
  readonly refs: readonly [string, ...string[]];
  constructor(refs: readonly [string, ...string[]]) {
    super(`${refs.join(', ')} can't be changed`);
    this.refs = refs;
  }
}

/** A push doesn't fail since something can't be done that should follow another one: the job that tries it again reports it. */
const leaveToJob = (): void => undefined;

/**
 * Writes an intent. Unfinished intents for the same refs are recovered first: once the refs move again, it can't be known whether
 * those changes happened.
 * @throws FixedRefs where one of the refs is fixed
 */
export async function openIntent(scope: PushScope, intent: NewIntent): Promise<OpenIntent> {
  const { repository, actor, commands, following } = intent;
  const { unfinished, fixed } = await store.findObstacles(scope.db, repository, commands);
  const [first, ...others] = fixed;
  if (first !== undefined) throw new FixedRefs([first, ...others]);
  if (unfinished) await recoverIntents(scope, repository, leaveToJob);
  const id = await store.insertIntent(scope.db, {
    repository_id: repository,
    actor_id: actor ?? null,
    commands,
    following,
    started_at: scope.now,
  });
  return { ...intent, id, startedAt: scope.now };
}

/** Further writes of the transaction that records moves. They are lost if the process ends before it. */
type ExtraWrites = (scope: WriteScope, moves: RefMove[]) => Promise<void>;

/** Ends an intent with what it did, and with what follows if all of it was done. */
export async function closeIntent(
  scope: PushScope,
  { id, repository, actor, commands, following, startedAt }: OpenIntent,
  { done, extraWrites }: { done: readonly PushCommand[]; extraWrites?: ExtraWrites | undefined },
): Promise<void> {
  const moved = await movesOf(repoOf(scope.git, repository), done);
  const { followUps } = scope.services;
  await scope.change(async (scope) => {
    const follow = await lockFollowUps(scope, followUps, following);
    const row = await lockRepository(scope.tx, repository);
    if (!row) return;
    const intended = await store.removeIntent(scope.tx, repository, id);
    const unrecorded = new Set(gather(intended ?? [], 'ref'));
    // Commands that are no longer in the intent were recorded by recovery, of this push or of another one that wanted the same.
    const missing = moved.filter(({ ref }) => !unrecorded.has(ref));
    const madeLater = new Set(await listMadeLater(scope, { repository, startedAt }, missing));
    const moves = moved.filter((move) => unrecorded.has(move.ref) || madeLater.has(move));
    await recordMoves(scope, { row, moves, actor });
    await extraWrites?.(scope, moved);
    if (intended && notDone(commands, done).length === 0) await follow({ repo: row, actor, now: scope.now });
  });
}

/** Ends an intent if Git's result is unknown: it is derived from the refs. */
export const closeByRefs = (scope: PushScope, { id, repository, following }: OpenIntent): Promise<void> =>
  recoverIntent(
    scope,
    { id, repository_id: repository, following: following.length === 0 ? null : following, isOver: true },
    leaveToJob,
  );
