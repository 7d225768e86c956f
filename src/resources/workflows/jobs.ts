import type { Services } from '#endpoint/services.ts';
import { batchSubscription } from '#events/subscription.ts';
import { gather, unique } from '#lib/collections.ts';
import { loadNamedRepositories } from '#resources/repositories/index.ts';
import { FilesTakeLong, readingTimeWhere } from './files.ts';
import { followDefaultBranch } from './follow.ts';

type Changes = 'push' | 'repository.imported' | 'repository.default_branch_changed';

/** Follows the workflow files of default branches. */
export const followFiles = batchSubscription<Changes, Services>({
  name: 'workflows.follow-files',
  on: ['push', 'repository.imported', 'repository.default_branch_changed'],
  attempts: 25,
  batch: 50,
  async runAll(events, { db, change, services: { git }, now, leaveToJob }) {
    const repositories = await loadNamedRepositories(db, unique(gather(events, 'repository')));
    for (const repository of repositories.values())
      try {
        await followDefaultBranch({ db, change, git, now, time: readingTimeWhere(leaveToJob !== undefined) }, repository);
      } catch (error) {
        const last = events.findLast((event) => event.repository === repository.id);
        if (!(error instanceof FilesTakeLong) || !leaveToJob || !last) throw error;
        leaveToJob(last);
      }
  },
});
