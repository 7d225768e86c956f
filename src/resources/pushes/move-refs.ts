import { GitError } from '#git/errors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { type RefUpdate, updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import type { PushHandlers } from '#git/transport/receive-pack.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import type { Id } from '#lib/id.ts';
import { type Also, closeIntent, closeUnknown, type OpenIntent, openIntent, type PushContext } from './rules.ts';

/** One ref to move: `from` is what it must be now (null: it must not exist; absent: whatever it is), `to` null deletes it. */
export type RefWish = { ref: string; from?: Oid | null; to: Oid | null };

type Moving = {
  repo: { id: Id<'repositories'> };
  changes: readonly RefWish[];
  actor: Id<'accounts'> | undefined;
  /** Further writes in the transaction that records the moves. They are lost if a crash comes between the moves and that transaction. */
  also?: Also;
};

const attempts = 3;

/**
 * Moves refs for the API, all or none, and records it as a push is recorded. Never call it inside a transaction: it commits its
 * intent before it asks Git. The caller has checked what the objects are and whether commits may be lost.
 *
 * ```ts
 * const moved = await moveRefs({ db, change, git, now }, { repo, changes: [{ ref, from: tip, to: commit }], actor });
 * if (!moved.updated) throw conflict(`${moved.ref} has moved meanwhile`);
 * ```
 */
export async function moveRefs(context: PushContext, moving: Moving): Promise<RefUpdate> {
  for (let attempt = 1; ; attempt++) {
    const result = await moveOnce(context, moving);
    const requested = result.updated ? undefined : moving.changes.find(({ ref }) => ref === result.ref);
    const again = requested?.from === undefined && !result.updated && result.reason === 'moved' && attempt < attempts;
    if (!again) return result;
  }
}

/** Like `moveRefs`, but throws where the refs stand elsewhere (`GitError` of kind `conflict`). */
export async function mustMoveRefs(context: PushContext, moving: Moving): Promise<void> {
  const result = await moveRefs(context, moving);
  if (!result.updated) throw new GitError('conflict', `The ref could not be updated (${result.reason})`, result.ref);
}

async function moveOnce(context: PushContext, { repo, changes, actor, also }: Moving): Promise<RefUpdate> {
  const disk = repoOf(context.git, repo.id);
  const open = changes.filter(({ from }) => from === undefined).map(({ ref }) => ref);
  const present = open.length === 0 ? new Map<string, Oid>() : await findRefOids(disk, open);
  const commands = changes.map(
    ({ ref, from, to }): PushCommand => ({
      ref,
      to,
      from: from === undefined ? (present.get(ref) ?? null) : from,
    }),
  );
  const absent = commands.find(({ from, to }) => from === null && to === null);
  if (absent) return { updated: false, ref: absent.ref, reason: 'absent' };
  const intent = await openIntent(context, { repository: repo.id, actor, commands });
  const result = await updateRefs(disk, commands).catch(async (error: unknown) => {
    await closeUnknown(context, intent);
    throw error;
  });
  await closeIntent(context, intent, { done: result.updated ? commands : [], also: result.updated ? also : undefined });
  return result;
}

type Pushing = {
  context: Omit<PushContext, 'now'>;
  clock: () => Date;
  repo: { id: Id<'repositories'> };
  actor: Id<'accounts'> | undefined;
};

/** What Hearth does at each stage of a push over Git's own transport. */
export function pushHandlers({ context, clock, repo, actor }: Pushing): PushHandlers {
  let intent: OpenIntent | undefined;
  const present = () => ({ ...context, now: clock() });
  return {
    async before(commands) {
      intent = await openIntent(present(), { repository: repo.id, actor, commands });
      return undefined;
    },
    async after(results) {
      if (intent) await closeIntent(present(), intent, { done: results.filter(({ ok }) => ok) });
    },
    async failed() {
      if (intent) await closeUnknown(present(), intent);
    },
  };
}
