import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordEach } from '#events/record.ts';
import { removeFromInstallations } from './installation-store.ts';

/**
 * Takes a repository that is deleted or transferred off the lists of installations. Their apps learn of it. An installation on
 * all repositories of an account has no list.
 */
export async function leaveInstallations(
  scope: WriteScope,
  { repo, by, now }: Pick<RepositoryAction, 'repo' | 'by' | 'now'>,
): Promise<void> {
  const { id, name, visibility, owner } = repo;
  const removed = { id, name, full_name: `${owner.login}/${name}`, private: visibility !== 'public' };
  const installations = await removeFromInstallations(scope.tx, id);
  await recordEach(scope.tx, installations, (installation) => ({
    kind: 'installation.repository_removed' as const,
    owner: owner.id,
    actor: by.account.id,
    at: now,
    data: { installation, repository: removed },
  }));
}
