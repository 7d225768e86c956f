import type { Services } from '#endpoint/services.ts';
import { batchSubscription, subscription } from '#events/subscription.ts';
import { collectGarbage, countLooseObjects, removeLeftoverFolders, removeLeftovers } from '#git/maintenance/maintenance.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists, sizeOnDisk } from '#git/store.ts';
import { type JobContext, job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { setSize } from '#resources/repositories/index.ts';
import { indexRepositoryCode, indexRepositoryCommits } from '#search/index.ts';
import { recoverUnfinished } from './rules.ts';
import { listPushed, listUnfinished } from './store.ts';

/** The settings of subscriptions to pushes. They read the current state only, so one run covers all waiting pushes of a repository. */
const afterPush = { attempts: 25, key: ({ repository }: { repository: number | undefined }) => String(repository) };

type Context = JobContext<Services>;

/** What changes the files and commits of the default branch. */
type Changes = 'push' | 'repository.imported' | 'repository.default_branch_changed';

/** Two lanes, since a large repository takes minutes. A push of thousands of branches reads its repository a few times. */
const indexing = {
  on: ['push', 'repository.imported', 'repository.default_branch_changed'],
  attempts: 25,
  batch: 100,
  lanes: 2,
} as const;

/** Indexes the files of the default branch for code search. Names and access aren't in the index: each search looks them up. */
export const indexCode = batchSubscription<Changes, Services>({
  ...indexing,
  name: 'pushes.index-code',
  async runAll(events, { db, services: { git }, now }) {
    for (const repositoryId of unique(gather(events, 'repository'))) await indexRepositoryCode({ db, git, repositoryId, now });
  },
});

/** Indexes the commits of the default branch for commit search. */
export const indexCommits = batchSubscription<Changes, Services>({
  ...indexing,
  name: 'pushes.index-commits',
  async runAll(events, { db, services: { git }, now }) {
    for (const repositoryId of unique(gather(events, 'repository'))) await indexRepositoryCommits({ db, git, repositoryId, now });
  },
});

/** Measures what a repository's objects take on disk: its `size` in replies. */
export const measure = subscription<'push' | 'repository.imported', Services>({
  ...afterPush,
  name: 'pushes.measure',
  on: ['push', 'repository.imported'],
  async run({ repository }, { change, services: { git } }) {
    if (repository === undefined || !(await repositoryExists(repoOf(git, repository)))) return;
    const size_kb = Math.ceil((await sizeOnDisk(repoOf(git, repository))) / 1024);
    await change((tx) => setSize(tx, repository, size_kb));
  },
});

/** Above these numbers, reading a repository becomes slow. */
const maxLooseObjects = 2_000;
const maxPacks = 20;

/** Packs a repository that has many loose objects or packs. One repository at a time, since it is expensive for CPU and disk. */
export const packRepository = subscription<'push' | 'repository.imported', Services>({
  ...afterPush,
  name: 'pushes.tidy',
  on: ['push', 'repository.imported'],
  attempts: 3,
  queue: () => 'git.tidy',
  async run({ repository }, { services: { git } }) {
    if (repository === undefined || !(await repositoryExists(repoOf(git, repository)))) return;
    const { looseObjects, packs } = await countLooseObjects(repoOf(git, repository));
    if (looseObjects > maxLooseObjects || packs > maxPacks) await collectGarbage(repoOf(git, repository));
  },
});

/** Records the pushes of processes that crashed after Git moved the refs and before the database recorded it. */
export const recoverPushes = job<object, Services>({
  name: 'pushes.settle',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, { services: { git }, log, stopping, ...context }) {
    await recoverUnfinished({ ...context, git }, (error, repository) => {
      stopping?.throwIfAborted();
      log.error({ err: error, repository }, 'what an unfinished push did could not be recorded');
    });
  },
});

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Files that were last changed before this time can't belong to a transfer that still runs. */
const leftoverCutoff = ({ limits }: GitStore, now: Date): Date => new Date(now.getTime() - limits.transferTime - hourMs);

/** Removes lock files of killed git processes, which block changes of refs. Covers the repositories with unfinished pushes. */
export const sweepUnfinished = job<object, Services>({
  name: 'pushes.sweep-unfinished',
  attempts: 1,
  schedule: { cron: '23 * * * *', atStart: true },
  async run(_payload, context) {
    const before = leftoverCutoff(context.services.git, context.now);
    await sweepAll(await listUnfinished(context.db, before), before, context);
  },
});

/** Once a day, removes leftover files and folders of interrupted transfers and creations. */
export const sweepPushed = job<object, Services>({
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

async function sweepAll(ids: readonly Id<'repositories'>[], before: Date, context: Context): Promise<void> {
  for (const id of ids) {
    context.stopping?.throwIfAborted();
    await sweep(id, before, context);
  }
}

async function sweep(id: Id<'repositories'>, before: Date, { services, log }: Context): Promise<void> {
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
