// Forks of private repositories whose owners can no longer read these. As in the public API, such a fork is deleted.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { gather, unique } from '#lib/collections.ts';
import { removeFork } from './deletion.ts';
import { findLostForkForUpdate } from './store.ts';

/** What takes access to repositories of an account away. A fork that was being made meanwhile is looked at, too. */
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
 * Deletes the private forks of users who have lost access to the repository that they forked. It looks at the present state: who
 * has access in another way, or has got it again meanwhile, keeps the fork.
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
