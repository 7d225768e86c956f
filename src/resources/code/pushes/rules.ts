import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Change, WriteScope } from '#endpoint/scope.ts';
import { recordAll } from '#events/record.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { eventsOfMoves, isBranchOrTag } from '#events/ref-moves.ts';
import { repairRefs } from '#git/refs/many-refs.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { resultsInRefs } from '#git/transport/receive-pack.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { RefRules } from '#resources/code/ref-rules/index.ts';
import { lockRepository, updateRepository } from '#resources/repositories/repositories/index.ts';
import { adoptFirstBranch, movesOf } from './moves.ts';
import * as store from './store.ts';

/**
 * How a change of refs is always recorded, although Git and the database can't commit together:
 * 1. an intent is committed to the database;
 * 2. Git moves the refs;
 * 3. one transaction removes the intent and records the events of what moved.
 * A crash before 2 leaves an intent whose refs haven't moved: there is no event. A crash after it leaves an intent whose refs have
 * moved: `recoverIntents` records it, at the next change of one of these refs, at the next start, or within a minute.
 */
type PushContext = {
  db: Db;
  change: Change;
  git: GitStore;
  now: Date;
};

/** What moving refs takes: rules judge each move before it happens. */
export type MoveContext = PushContext & { refRules: RefRules };

/** An intent that this process began. */
export type OpenIntent = { id: Id<'ref_changes'>; repository: Id<'repositories'>; actor: Id<'accounts'> | undefined };

type NewIntent = {
  repository: Id<'repositories'>;
  actor: Id<'accounts'> | undefined;
  /** Each has the current value of its ref. Recovery needs it to tell this change from another one. */
  commands: readonly PushCommand[];
};

/** Thrown for refs that nobody can move or delete. */
export class FixedRefs extends Error {
  readonly refs: readonly [string, ...string[]];
  constructor(refs: readonly [string, ...string[]]) {
    super(`${refs.join(', ')} can't be changed`);
    this.refs = refs;
  }
}

/**
 * Writes an intent. Unfinished intents for the same refs are recovered first: once the refs move again, it can't be known whether
 * those changes happened.
 * @throws FixedRefs where one of the refs is fixed
 */
export async function openIntent(context: PushContext, { repository, actor, commands }: NewIntent): Promise<OpenIntent> {
  const { unfinished, fixed } = await store.findObstacles(context.db, repository, commands);
  const [first, ...others] = fixed;
  if (first !== undefined) throw new FixedRefs([first, ...others]);
  if (unfinished) await recoverIntents(context, repository);
  const id = await store.insertIntent(context.db, {
    repository_id: repository,
    actor_id: actor ?? null,
    commands,
    started_at: context.now,
  });
  return { id, repository, actor };
}

/** Further writes of the transaction that records moves. */
export type ExtraWrites = (scope: WriteScope, moves: RefMove[]) => Promise<void>;

/** Ends an intent with what it did: events, the time of the push, the default branch of an empty repository. */
export async function closeIntent(
  context: PushContext,
  { id, repository, actor }: OpenIntent,
  { done, extraWrites }: { done: readonly PushCommand[]; extraWrites?: ExtraWrites | undefined },
): Promise<void> {
  const moved = await movesOf(repoOf(context.git, repository), done);
  await context.change(async (scope) => {
    const row = await lockRepository(scope.tx, repository);
    if (!row) return;
    const unrecorded = new Set((await store.removeIntent(scope.tx, repository, id)).map(({ ref }) => ref));
    // Commands that are no longer in the intent were recorded by another process.
    const moves = moved.filter(({ ref }) => unrecorded.has(ref));
    await recordMoves(scope, context, { row, moves, actor });
    await extraWrites?.(scope, moved);
  });
}

/** Ends an intent if Git's result is unknown: it is derived from the refs. */
export async function closeByRefs(context: PushContext, { id, repository }: OpenIntent): Promise<void> {
  await recoverIntents(context, repository);
  await context.change(async (scope) => void (await store.removeIntent(scope.tx, repository, id)));
}

/** Longer than any push takes, including its wait in the queue. No process works on an older intent. */
const maxPushMs = 24 * 60 * 60 * 1000;

/**
 * Records what unfinished intents did. If a push is still running, the commands that aren't done stay in its intent. A move isn't
 * recorded twice, since the push also locks the repository's row.
 */
async function recoverIntents(context: PushContext, repository: Id<'repositories'>): Promise<void> {
  const gitRepository = repoOf(context.git, repository);
  await context.change(async (scope) => {
    const row = await lockRepository(scope.tx, repository);
    if (!row) return;
    for (const intent of await store.listIntents(scope.tx, repository)) {
      await repairRefs(gitRepository, intent.commands);
      const results = await resultsInRefs(gitRepository, intent.commands, 'not done');
      const done = results.filter(({ ok }) => ok);
      const moves = await movesOf(gitRepository, await notRecorded(scope, intent, done));
      await recordMoves(scope, context, { row, moves, actor: intent.actor_id ?? undefined });
      // Of two pushes that wanted the same, the one that is recorded need not be the one that did it: neither records it again.
      await keepUnfinished(scope, context, intent, done);
    }
  });
}

/** The commands without those whose move, from the same commit to the same commit, another push has recorded since. */
async function notRecorded(scope: WriteScope, intent: store.Intent, done: readonly PushCommand[]): Promise<PushCommand[]> {
  if (done.length === 0) return [];
  const recorded = grouped(await store.listRecordedMoves(scope.tx, intent.repository_id, intent.started_at), ({ ref }) => ref);
  return done.filter(({ ref, from, to }) => !recorded.get(ref)?.some(({ before, after }) => before === from && after === to));
}

/** Keeps the commands of an intent that aren't done, unless it is too old to belong to a running push. */
async function keepUnfinished(
  scope: WriteScope,
  { now }: PushContext,
  intent: store.Intent,
  done: readonly PushCommand[],
): Promise<void> {
  const doneRefs = new Set(done.map(({ ref }) => ref));
  const rest = intent.commands.filter(({ ref }) => !doneRefs.has(ref));
  const isExpired = now.getTime() - intent.started_at.getTime() > maxPushMs;
  if (rest.length === 0 || isExpired) await store.removeIntent(scope.tx, intent.repository_id, intent.id);
  else if (doneRefs.size > 0) await store.updateIntent(scope.tx, intent.id, rest);
}

type Recording = {
  row: RepositoryRow;
  moves: readonly RefMove[];
  actor: Id<'accounts'> | undefined;
};

async function recordMoves(scope: WriteScope, { git, now }: PushContext, { row, moves, actor }: Recording): Promise<void> {
  if (!moves.some(isBranchOrTag)) return;
  const adopted = await adoptFirstBranch(repoOf(git, row.id), moves, row.default_branch);
  const event = { owner: row.owner_id, repository: row.id, actor, at: now };
  await recordAll(scope.tx, eventsOfMoves(event, moves, { defaultBranch: adopted ?? row.default_branch }));
  await updateRepository(scope.tx, row.id, { pushed_at: now, ...(adopted === undefined ? {} : { default_branch: adopted }) });
}

/** Recovers unfinished intents of all repositories. A repository that can't be read is reported to `onError` and skipped. */
export async function recoverUnfinished(
  context: PushContext,
  onError: (error: unknown, repository: Id<'repositories'>) => void,
): Promise<void> {
  for (const repository of await store.listUnfinished(context.db, context.now)) {
    await recoverIntents(context, repository).catch((error: unknown) => onError(error, repository));
  }
}
