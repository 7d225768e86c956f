import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { recordAll } from '#events/record.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { eventsOfMoves, isBranchOrTag } from '#events/ref-moves.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { resultsInRefs } from '#git/transport/receive-pack.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { lockRepository, updateRepository } from '#resources/repositories/index.ts';
import { adoptFirstBranch, movesOf } from './moves.ts';
import * as store from './store.ts';

/**
 * How a change of refs is recorded for certain, though Git and the database can't commit together:
 * 1. an intent is written, and is durable, before Git is asked;
 * 2. Git moves the refs;
 * 3. one transaction removes the intent and records the events of what moved.
 * A crash before 2 leaves an intent whose refs stand where they stood: no event. A crash after it leaves one whose refs have
 * moved: `settleRepository` records it, at the next change of one of these refs, at the next start, or within a minute.
 */
export type PushContext = {
  db: Db;
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  git: GitStore;
  now: Date;
};

/** An intent that this process began. */
export type OpenIntent = { id: Id<'ref_changes'>; repository: Id<'repositories'>; actor: Id<'accounts'> | undefined };

type Wanted = {
  repository: Id<'repositories'>;
  actor: Id<'accounts'> | undefined;
  /** Each says what its ref is now. Without that, nobody could tell afterwards whether this change or another one happened. */
  commands: readonly PushCommand[];
};

/**
 * Writes an intent. Unfinished intents for the same refs are settled first: once the refs move again, nobody could tell whether
 * those had happened.
 */
export async function openIntent(context: PushContext, { repository, actor, commands }: Wanted): Promise<OpenIntent> {
  const refs = commands.map(({ ref }) => ref);
  if (await store.hasIntents(context.db, repository, refs)) await settleRepository(context, repository);
  const id = await store.insertIntent(context.db, {
    repository_id: repository,
    actor_id: actor ?? null,
    commands,
    started_at: context.now,
  });
  return { id, repository, actor };
}

/** Further writes of the transaction that records moves. */
export type Also = (tx: Tx, moves: RefMove[]) => Promise<void>;

/** Ends an intent with what it did: events, the time of the push, the default branch of an empty repository. */
export async function closeIntent(
  context: PushContext,
  { id, repository, actor }: OpenIntent,
  { done, also }: { done: readonly PushCommand[]; also?: Also | undefined },
): Promise<void> {
  const moved = await movesOf(repoOf(context.git, repository), done);
  await context.change(async (tx) => {
    const row = await lockRepository(tx, repository);
    if (!row) return;
    const left = new Set((await store.removeIntent(tx, repository, id)).map(({ ref }) => ref));
    // What is no longer in the intent was recorded by another process, which found the refs moved.
    const moves = moved.filter(({ ref }) => left.has(ref));
    await recordMoves(tx, context, { row, moves, actor });
    await also?.(tx, moved);
  });
}

/** Ends an intent without knowing what Git did: looks at the refs. */
export async function closeUnknown(context: PushContext, { id, repository }: OpenIntent): Promise<void> {
  await settleRepository(context, repository);
  await context.change(async (tx) => void (await store.removeIntent(tx, repository, id)));
}

/** Longer than any push takes, with its wait for a turn. No process works on an older intent any more. */
const longestPushMs = 24 * 60 * 60 * 1000;

/**
 * Records what unfinished intents did. Of pushes that still run, what they have not done yet stays in their intent. A move isn't
 * recorded twice, by this and by the push itself, since both lock the repository's row.
 */
async function settleRepository(context: PushContext, repository: Id<'repositories'>): Promise<void> {
  const disk = repoOf(context.git, repository);
  await context.change(async (tx) => {
    const row = await lockRepository(tx, repository);
    if (!row) return;
    for (const intent of await store.listIntents(tx, repository)) {
      const results = await resultsInRefs(disk, intent.commands, 'not done');
      const done = await notRecorded(
        tx,
        intent,
        results.filter(({ ok }) => ok),
      );
      const moves = await movesOf(disk, done);
      await recordMoves(tx, context, { row, moves, actor: intent.actor_id ?? undefined });
      await keepRest(tx, context, intent, done);
    }
  });
}

/** Leaves out moves that another push made and recorded since, from the same commit to the same commit. */
async function notRecorded(tx: Tx, intent: store.Intent, done: readonly PushCommand[]): Promise<PushCommand[]> {
  if (done.length === 0) return [];
  const recorded = grouped(await store.listRecordedMoves(tx, intent.repository_id, intent.started_at), ({ ref }) => ref);
  return done.filter(({ ref, from, to }) => !recorded.get(ref)?.some(({ before, after }) => before === from && after === to));
}

async function keepRest(tx: Tx, { now }: PushContext, intent: store.Intent, done: readonly PushCommand[]): Promise<void> {
  const gone = new Set(done.map(({ ref }) => ref));
  const rest = intent.commands.filter(({ ref }) => !gone.has(ref));
  const forgotten = now.getTime() - intent.started_at.getTime() > longestPushMs;
  if (rest.length === 0 || forgotten) await store.removeIntent(tx, intent.repository_id, intent.id);
  else if (gone.size > 0) await store.updateIntent(tx, intent.id, rest);
}

type Recording = {
  row: RepositoryRow;
  moves: readonly RefMove[];
  actor: Id<'accounts'> | undefined;
};

async function recordMoves(tx: Tx, { git, now }: PushContext, { row, moves, actor }: Recording): Promise<void> {
  if (!moves.some(isBranchOrTag)) return;
  const adopted = await adoptFirstBranch(repoOf(git, row.id), moves, row.default_branch);
  const about = { owner: row.owner_id, repository: row.id, actor, at: now };
  await recordAll(tx, eventsOfMoves(about, moves, adopted ?? row.default_branch));
  await updateRepository(tx, row.id, { pushed_at: now, ...(adopted === undefined ? {} : { default_branch: adopted }) });
}

/** Settles unfinished intents of all repositories. A repository that can't be read is reported to `onError` and skipped. */
export async function settleUnfinished(
  context: PushContext,
  onError: (error: unknown, repository: Id<'repositories'>) => void,
): Promise<void> {
  for (const repository of await store.listUnfinished(context.db, context.now)) {
    await settleRepository(context, repository).catch((error: unknown) => onError(error, repository));
  }
}
