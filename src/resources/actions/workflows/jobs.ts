import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { defaultBranchChanges, listWithChangedDefaultBranch } from '#resources/repositories/repositories/index.ts';
import { FilesTakeLong, readingTimeWhere } from './files.ts';
import { followDefaultBranch } from './follow.ts';

/** Updates workflows after changes to the files of default branches. */
export const followFiles = batchSubscription<(typeof defaultBranchChanges)[number], JobContext>({
  name: 'workflows.follow-files',
  on: defaultBranchChanges,
  attempts: 25,
  async runAll(events, { scope, leaveToJob }) {
    for (const repository of await listWithChangedDefaultBranch(scope, events))
      try {
        await followDefaultBranch(scope, repository, readingTimeWhere(leaveToJob !== undefined));
      } catch (error) {
        const last = events.findLast((event) => event.repository === repository.id);
        if (!(error instanceof FilesTakeLong) || !leaveToJob || !last) throw error;
        leaveToJob(last);
      }
  },
});
