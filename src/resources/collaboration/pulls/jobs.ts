import type { RepositoryRow } from '#access/viewer.ts';
import { noWorkflowFiles } from '#access/workflow-files.ts';
import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { enqueue, enqueueAll, job } from '#jobs/job.ts';
import { chunks, gather, grouped, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { moveRefs } from '#resources/code/pushes/index.ts';
import { RuleViolations } from '#resources/code/ref-rules/index.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
import { findNextConcerned, followOpened, followPush } from './follow-pushes.ts';
import { movedBranches } from './heads.ts';
import { mergeTestLimits } from './limits.ts';
import { isOpenHead, listOpenInto, listPullsAfter, loadOpenInto, loadPulls, type PullRow, pullRows } from './store.ts';
import { testMerges } from './test-merges.ts';

/** Updates pull requests after pushes to their branches. */
export const followPushes = batchSubscription<'push' | 'pull_request.opened' | 'pull_request.reopened', JobContext>({
  name: 'pulls.follow-pushes',
  on: ['push', 'pull_request.opened', 'pull_request.reopened'],
  attempts: 25,
  async runAll(events, context) {
    // Most pushes concern no pull request. What follows one that does is looked at again, since it may concern others now.
    for (let rest = events; rest.length > 0; ) {
      const at = await findNextConcerned(context, rest);
      const event = at === undefined ? undefined : rest[at];
      if (at === undefined || event === undefined) return;
      await (event.kind === 'push' ? followPush(context, event) : followOpened(context, event));
      rest = rest.slice(at + 1);
    }
  },
});

const testsPerBatch = 100;

const movingEnds = [
  'push',
  'pull_request.opened',
  'pull_request.reopened',
  'pull_request.synchronize',
  'pull_request.edited',
] as const;

/**
 * Tests whether pull requests can be merged after one of their branches has moved. A push to the base of very many tests some of
 * them at once, so that frequent pushes don't test all of them each time.
 */
export const testChanged = batchSubscription<(typeof movingEnds)[number], JobContext>({
  name: 'pulls.test-merges',
  on: movingEnds,
  attempts: 25,
  async runAll(events, { db, scope, change, now, services }) {
    const { perPush } = services.resourceLimits.of(mergeTestLimits);
    for (const [repository, own] of grouped(events, (event) => event.repository)) {
      if (repository === undefined) continue;
      const refs = own.flatMap((event) => (event.kind === 'push' ? movedBranches(event.data.moves) : []));
      const named = own.flatMap((event) => (event.kind === 'push' ? [] : [event.data.issue]));
      const [into, changed] = await Promise.all([
        refs.length === 0 ? [] : loadOpenInto(scope, repository, unique(refs)),
        loadPulls(db, unique(named)),
      ]);
      const lastChanged = into.toSorted((a, b) => b.updated_at.getTime() - a.updated_at.getTime());
      const open = new Map<PullRow['id'], PullRow>();
      for (const pull of [...lastChanged.slice(0, perPush), ...changed.values()])
        if (pull.state === 'open') open.set(pull.id, pull);
      await testMerges(scope, repository, [...open.values()]);
      const bases = unique(gather(lastChanged.slice(perPush), 'base_ref'));
      if (bases.length > 0) await change(({ tx }) => enqueueOthers(tx, { repository, bases, now }));
    }
  },
});

/** Tests the open pull requests into a branch that were left out when it moved. */
export const testOthers = job<{ repository: Id<'repositories'>; base: string }, JobContext>({
  name: 'pulls.test-others',
  attempts: 25,
  async run({ repository, base }, { scope, db, stopping }) {
    for (const some of chunks(await listOpenInto(db, repository, [base]), testsPerBatch)) {
      stopping?.throwIfAborted();
      await testMerges(scope, repository, some);
    }
  },
});

/** Pushes within so many milliseconds have the pull requests that they left out tested once. */
const othersInterval = 10_000;

const enqueueOthers = (
  tx: Tx,
  { repository, bases, now }: { repository: Id<'repositories'>; bases: readonly string[]; now: Date },
): Promise<void> =>
  enqueueAll(
    tx,
    testOthers,
    bases.map((base) => ({
      payload: { repository, base },
      options: {
        key: `${testOthers.name}:${repository}:${base}`,
        // The same time for all pushes in between, so that each later one does not put it off.
        runAt: new Date((Math.floor(now.getTime() / othersInterval) + 1) * othersInterval),
      },
    })),
  );

/** Tests whether the open pull requests of an imported repository can be merged, since imports record no events for them. */
export const testImported = job<{ repository: Id<'repositories'> }, JobContext>({
  name: 'pulls.test-imported',
  attempts: 25,
  async run({ repository }, { scope, db, stopping }) {
    for (let after = 0; ; ) {
      stopping?.throwIfAborted();
      const some = await listPullsAfter(db, repository, after, testsPerBatch);
      const last = some.at(-1);
      if (last === undefined) return;
      await testMerges(
        scope,
        repository,
        some.filter(({ state }) => state === 'open'),
      );
      after = last.number;
    }
  },
});

/** Enqueues the test of a repository's imported pull requests. */
export const enqueueImportedPulls = (tx: Tx, repository: Id<'repositories'>): Promise<void> =>
  enqueue(tx, testImported, { repository });

/** Deletes the branches of merged pull requests where the setting of their repository says so. */
export const deleteMergedBranches = batchSubscription<'pull_request.closed', JobContext>({
  name: 'pulls.delete-branch',
  on: ['pull_request.closed'],
  attempts: 25,
  async runAll(events, context) {
    const { load } = context.scope;
    for (const { repository, actor, data } of events) {
      const repo = repository === undefined ? undefined : await load(namedRepositories, repository);
      const pull = repo?.delete_branch_on_merge ? await load(pullRows, data.issue) : undefined;
      if (repo && pull && pull.merged_at !== null) await deleteMergedBranch(context, repo, pull, actor);
    }
  },
});

async function deleteMergedBranch(
  { db, scope, services: { git } }: JobContext,
  repo: RepositoryRow,
  pull: PullRow,
  actor: Id<'accounts'> | undefined,
): Promise<void> {
  if (pull.head_repository_id !== repo.id || pull.head_ref === repo.default_branch) return;
  const branch = await findBranch(repoOf(git, repo.id), pull.head_ref);
  // A branch with further commits stays, and so does the head of another open pull request. Pull requests into the deleted
  // branch get the base of this one.
  if (branch?.oid !== pull.head_sha || (await isOpenHead(db, repo.id, pull.head_ref))) return;
  const changes = [{ ref: branch.name, from: branch.oid, to: null }];
  try {
    await moveRefs(scope, { repo, changes, actor, workflowFiles: noWorkflowFiles });
  } catch (error) {
    if (!(error instanceof RuleViolations)) throw error; // Rules may protect the branch from deletion.
  }
}
