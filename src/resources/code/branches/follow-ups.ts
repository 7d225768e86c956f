import { record } from '#events/record.ts';
import { insertRename } from '#resources/code/branch-names/index.ts';
import { renameProtection } from '#resources/code/branch-protection/index.ts';
import type { FollowUps } from '#resources/follow-ups.ts';

declare module '#resources/follow-ups.ts' {
  interface FollowUpData {
    /** A branch has another name. `isDefault`: it is the default branch of its repository. */
    'branches.rename': { from: string; to: string; isDefault: boolean };
  }
}

/** The former name of a branch leads to the new one, which takes its protection over. */
export const branchFollowUps: FollowUps<'branches.rename'> = {
  'branches.rename':
    async (scope, { isDefault, ...names }) =>
    async ({ repo, actor, now }) => {
      await insertRename(scope.tx, { repository: repo.id, ...names, now });
      await renameProtection(scope.tx, repo.id, names);
      const event = { owner: repo.owner_id, repository: repo.id, actor, at: now };
      // Recording the moves makes the new branch the default one (see adoptFirstBranch). This event informs subscribers.
      if (isDefault) await record(scope.tx, { ...event, kind: 'repository.default_branch_changed', data: names });
    },
};
