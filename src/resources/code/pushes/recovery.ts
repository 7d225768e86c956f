// What unfinished intents did, found in the refs: a process ended before it could record that, or still runs.
import { repairRefs } from '#git/refs/many-refs.ts';
import { repoOf } from '#git/store.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { movesOf } from './moves.ts';
import { listUnrecorded, maxPushMs } from './recorded-moves.ts';
import { lockFollowUps, notDone, type PushScope, recordMoves } from './recording.ts';
import * as store from './store.ts';

type Unfinished = Pick<store.Intent, 'repository_id' | 'following'> & {
  id: Id<'ref_changes'>;
  /** No process works on it any more: what isn't done won't be. */
  isOver?: boolean;
};

/** Gets the error of a follow-up that could not be done. Its move is recorded nevertheless. */
type OnFailedFollowUp = (error: unknown) => void;

/** Records what unfinished intents of a repository did, and does what follows, each in a transaction of its own. */
export async function recoverIntents(
  scope: PushScope,
  repository: RepositoryId,
  onFailedFollowUp: OnFailedFollowUp,
): Promise<void> {
  for (const intent of await store.listIntents(scope.db, repository)) await recoverIntent(scope, intent, onFailedFollowUp);
}

/** Records what an intent did, and does what follows. */
export async function recoverIntent(scope: PushScope, intent: Unfinished, onFailedFollowUp: OnFailedFollowUp): Promise<void> {
  try {
    await settle(scope, intent, { isFollowed: true });
  } catch (error) {
    if (intent.following === null) throw error;
    // Its refs could not move again before the move is recorded. What follows it stays in the intent, and is tried again every
    // minute.
    await settle(scope, intent, { isFollowed: false });
    onFailedFollowUp(error);
  }
}

/**
 * Commands that aren't done stay in the intent, since the push may still be running. So do commands whose move is recorded:
 * another push made it. A move isn't recorded twice: the push also locks the repository's row, and a recorded move leaves the
 * intents of all pushes that wanted the same, since any of them may have made it.
 */
const settle = (given: PushScope, unfinished: Unfinished, { isFollowed }: { isFollowed: boolean }): Promise<void> =>
  given.change(async (scope) => {
    const { tx, git, now } = scope;
    const { id, repository_id, following, isOver = false } = unfinished;
    const gitRepository = repoOf(git, repository_id);
    const follow = await lockFollowUps(scope, given.services.followUps, isFollowed ? (following ?? []) : []);
    const row = await lockRepository(tx, repository_id);
    const intent = row && (await store.findIntentForUpdate(tx, repository_id, id));
    if (!intent) return;
    await repairRefs(gitRepository, intent.commands);
    const about = { repository: repository_id, startedAt: intent.started_at };
    const done = await listUnrecorded(scope, about, intent.commands);
    const rest = notDone(intent.commands, done);
    const moves = await movesOf(gitRepository, done);
    const actor = intent.actor_id ?? undefined;
    await recordMoves(scope, { row, moves, actor });
    if (done.length > 0) await store.removeFromOthers(tx, intent, done);
    if (rest.length === 0) await follow({ repo: row, actor, now });
    const isExpired = isOver || now.getTime() - intent.started_at.getTime() > maxPushMs;
    if (rest.length === 0 ? isFollowed || following === null : isExpired) await store.removeIntent(tx, repository_id, id);
    else if (done.length > 0) await store.updateIntent(tx, id, rest);
  });

/**
 * Completes what earlier processes left of some refs. Who decides by the database what a move does calls it after reading the
 * refs, and reads the database afterwards.
 * @throws whatever keeps a follow-up from being done
 */
export async function recoverRefs(scope: PushScope, repository: RepositoryId, refs: readonly string[]): Promise<void> {
  if (!(await store.hasUnfinished(scope.db, repository, refs))) return;
  await recoverIntents(scope, repository, (error) => {
    throw error;
  });
}

/** Recovers unfinished intents of all repositories. A repository that can't be read is reported to `onError` and skipped. */
export async function recoverUnfinished(
  scope: PushScope,
  onError: (error: unknown, repository: RepositoryId) => void,
): Promise<void> {
  for (const repository of await store.listUnfinished(scope.db, scope.now)) {
    const report = (error: unknown) => onError(error, repository);
    await recoverIntents(scope, repository, report).catch(report);
  }
}
