import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { collectGarbage, measureObjects, removeLeftoverFolders, removeLeftovers } from '#git/maintenance/maintenance.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { enqueue, job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import {
  defaultBranchChanges,
  listWithChangedDefaultBranch,
  namedRepositories,
  setSize,
} from '#resources/repositories/repositories/index.ts';
import { indexRepositoryCode, indexRepositoryCommits } from '#search/index.ts';
import { recoverUnfinished } from './recovery.ts';
import { listPushed, listUnfinished } from './store.ts';

/** Indexes the files of the default branch for code search. Names and access aren't in the index: each search looks them up. */
export const indexCode = batchSubscription<(typeof defaultBranchChanges)[number], JobContext>({
  name: 'pushes.index-code',
  on: defaultBranchChanges,
  attempts: 25,
  async runAll(events, { db, scope, services: { git }, now }) {
    for (const { id } of await listWithChangedDefaultBranch(scope, events))
      await indexRepositoryCode({ db, git, repositoryId: id, now });
  },
});

/** Indexes the commits of the default branch for commit search. */
export const indexCommits = batchSubscription<(typeof defaultBranchChanges)[number], JobContext>({
  name: 'pushes.index-commits',
  on: defaultBranchChanges,
  attempts: 25,
  async runAll(events, { db, scope, services: { git }, now }) {
    for (const { id } of await listWithChangedDefaultBranch(scope, events))
      await indexRepositoryCommits({ db, git, repositoryId: id, now });
  },
});

/** Above these numbers, reading a repository becomes slow. */
const maxLooseObjects = 2_000;
const maxPacks = 20;

/** Measures the repository's size on disk, its `size` in replies, and enqueues packing where it has many objects or packs. */
export const measure = batchSubscription<'push' | 'repository.imported', JobContext>({
  name: 'pushes.measure',
  on: ['push', 'repository.imported'],
  attempts: 25,
  async runAll(events, { change, scope, services: { git } }) {
    const repositories = await scope.load.all(namedRepositories, unique(gather(events, 'repository')));
    for (const { id, size_kb: former } of repositories.values()) {
      const gitRepository = repoOf(git, id);
      if (!(await repositoryExists(gitRepository))) continue;
      const { bytes, looseObjects, packs } = await measureObjects(gitRepository);
      const size_kb = Math.ceil(bytes / 1024);
      if (size_kb !== former) await change((scope) => setSize(scope.tx, id, size_kb));
      if (looseObjects > maxLooseObjects || packs > maxPacks)
        await change((scope) =>
          enqueue(scope.tx, packRepository, { repository: id }, { key: `git.pack:${id}`, queue: 'git.pack' }),
        );
    }
  },
});

/**
 * Packs a repository with many loose objects or packs. Only one repository is packed at a time, since packing needs much CPU and
 * disk.
 */
export const packRepository = job<{ repository: Id<'repositories'> }, JobContext>({
  name: 'pushes.pack',
  attempts: 3,
  async run({ repository }, { services: { git } }) {
    const gitRepository = repoOf(git, repository);
    if (await repositoryExists(gitRepository)) await collectGarbage(gitRepository);
  },
});

/**
 * Records pushes whose process crashed after Git moved the refs and before the database recorded it, and runs their follow-ups.
 */
export const recoverPushes = job<object, JobContext>({
  name: 'pushes.settle',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, { scope, log, stopping }) {
    await recoverUnfinished(scope, (error, repository) => {
      stopping?.throwIfAborted();
      log.error({ err: error, repository }, 'what an unfinished push did could not be recorded');
    });
  },
});

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Files last changed before this time can't belong to a running transfer. */
const leftoverCutoff = ({ limits }: GitStore, now: Date): Date => new Date(now.getTime() - limits.transferTime - hourMs);

/** Removes lock files of killed git processes, which block changes of refs. Covers the repositories with unfinished pushes. */
export const sweepUnfinished = job<object, JobContext>({
  name: 'pushes.sweep-unfinished',
  attempts: 1,
  schedule: { cron: '23 * * * *', atStart: true },
  async run(_payload, context) {
    const before = leftoverCutoff(context.services.git, context.now);
    await sweepAll(await listUnfinished(context.db, before), before, context);
  },
});

/** Once a day, removes leftover files and folders of interrupted transfers and creations. */
export const sweepPushed = job<object, JobContext>({
  name: 'pushes.sweep-pushed',
  attempts: 1,
  schedule: { cron: '41 3 * * *' },
  async run(_payload, context) {
    const before = leftoverCutoff(context.services.git, context.now);
    await removeLeftoverFolders(context.services.git, before);
    const since = new Date(context.now.getTime() - 3 * dayMs);
    await sweepAll(await listPushed(context.db, since), before, context);
  },
});

async function sweepAll(ids: readonly Id<'repositories'>[], before: Date, context: JobContext): Promise<void> {
  for (const id of ids) {
    context.stopping?.throwIfAborted();
    await sweep(id, before, context);
  }
}

async function sweep(id: Id<'repositories'>, before: Date, { services, log }: JobContext): Promise<void> {
  const repo = repoOf(services.git, id);
  if (!(await repositoryExists(repo))) return;
  try {
    const removed = await removeLeftovers(repo, before);
    if (removed.length > 0) log.info({ repository: id, removed }, 'removed what interrupted transfers left behind');
  } catch (error) {
    // The repository may have been deleted or packed meanwhile. The next sweep tries again.
    log.warn({ err: error, repository: id }, 'a repository could not be swept');
  }
}
