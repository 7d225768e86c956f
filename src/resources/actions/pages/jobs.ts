import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, subscription } from '#events/subscription.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { gather, unique } from '#lib/collections.ts';
import { findNewName } from '#resources/code/branch-names/index.ts';
import { servedRef } from './build.ts';
import { enqueueBuilds } from './queue.ts';
import { removeExpiredCodes, removeExpiredSessions, removeReaders } from './reader-store.ts';
import { findSite, insertBuilds, loadBranchSites, type NewBuild, type SiteRow, updateSite } from './store.ts';

/** Builds a website after a push to its branch. A renamed branch stays its source. */
export const buildPushed = batchSubscription<'push', JobContext>({
  name: 'pages.build-pushed',
  on: ['push'],
  attempts: 25,
  async runAll(events, { db, change, now }: JobContext) {
    const sites = await loadBranchSites(db, unique(gather(events, 'repository')));
    const builds: NewBuild[] = [];
    const gone: SiteRow[] = [];
    for (const { id, repository, actor, data } of events) {
      const site = repository === undefined ? undefined : sites.get(repository);
      const move = data.moves.find(({ ref }) => branchOf(ref) === site?.source_branch);
      if (!site || !move) continue;
      if (move.after === null) gone.push(site);
      else
        builds.push({
          repository_id: site.repository_id,
          event_id: id,
          commit_sha: move.after,
          pusher_id: actor ?? null,
          created_at: now,
          updated_at: now,
        });
    }
    if (builds.length > 0) await change(async (scope) => enqueueBuilds(scope.tx, await insertBuilds(scope.tx, builds)));
    for (const { repository_id, source_branch } of gone) {
      const renamed = await findNewName(db, repository_id, source_branch);
      if (renamed !== undefined) await change((scope) => updateSite(scope.tx, repository_id, { source_branch: renamed }));
    }
  },
});

/** Releases the files that a deleted website served. */
export const releaseServed = subscription<'pages.deleted', JobContext>({
  name: 'pages.release-served',
  on: ['pages.deleted'],
  attempts: 10,
  queue: ({ repository }) => `pages:${repository}`,
  async run({ repository }, { db, services }) {
    if (repository === undefined || (await findSite(db, repository))) return;
    const gitRepository = repoOf(services.git, repository);
    if (await repositoryExists(gitRepository)) await updateRefs(gitRepository, [{ ref: servedRef, to: null }]);
  },
});

/**
 * Ends the sessions of readers when a website becomes public. If it becomes private again, readers sign in again, since others
 * may have left scripts at its domain.
 */
export const endReaders = subscription<'repository.publicized', JobContext>({
  name: 'pages.end-readers',
  on: ['repository.publicized'],
  attempts: 10,
  async run({ repository }, { change }: JobContext) {
    if (repository !== undefined) await change((scope) => removeReaders(scope.tx, repository));
  },
});

/** Removes codes and sessions of readers that have expired, a bounded number of rows with each statement. */
export const removeExpiredReaders = job<Record<string, never>>({
  name: 'pages.remove-expired-readers',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { change, now, stopping }: JobContext) {
    for (const remove of [removeExpiredCodes, removeExpiredSessions])
      await repeatWhile({ stopping }, () => change((scope) => remove(scope.tx, now)));
  },
});
