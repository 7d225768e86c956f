// Forks of private repositories whose owners can no longer read these. As in the public API, such forks are deleted.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { gather, unique } from '#lib/collections.ts';
import { removeFork } from './deletion.ts';
import { findLostForkForUpdate } from './store.ts';

/** The events that may end an account's access to repositories. A fork that was being created meanwhile is also checked. */
const losses = [
  'collaborator.removed',
  'member.removed',
  'organization.updated',
  'organization_role.revoked',
  'repository.forked',
  'repository.privatized',
  'repository.transferred',
  'team.deleted',
  'team.edited',
  'team.member_removed',
  'team.repository_removed',
] as const;

/**
 * Deletes the private forks of users who have lost access to the forked repository. The current state decides: users who have
 * access in another way, or have regained it, keep the fork.
 */
export const removeLostForks = batchSubscription<(typeof losses)[number], JobContext>({
  name: 'repositories.remove-lost-forks',
  on: losses,
  attempts: 25,
  async runAll(events, { change, now, log }: JobContext) {
    for (const owner of unique(gather(events, 'owner'))) {
      const removeNext = () =>
        change(async (scope) => {
          const fork = await findLostForkForUpdate(scope.tx, owner);
          if (fork) await removeFork(scope, fork, now);
          return fork;
        });
      for (let fork = await removeNext(); fork; fork = await removeNext()) {
        const { id: repository, name, owner_id, source_id } = fork;
        log.info(
          { repository, name, owner: owner_id, source: source_id },
          'a private fork was deleted: its owner lost access to its source',
        );
      }
    }
  },
});
