import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/**
 * What is written of the repositories that installations of apps include. It stands here, and not in the family of apps, since a
 * repository that is transferred leaves its former owner's installations in the same transaction.
 */

/** Adds repositories to the list of an installation. */
export async function insertInstallationRepositories(
  tx: Tx,
  installation: Id<'installations'>,
  repositories: readonly Id<'repositories'>[],
): Promise<void> {
  if (repositories.length === 0) return;
  await tx
    .insertInto('installation_repositories')
    .values(repositories.map((repository_id) => ({ installation_id: installation, repository_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Takes a repository from the lists of all installations. */
export const removeFromInstallations = (tx: Tx, id: Id<'repositories'>) =>
  tx.deleteFrom('installation_repositories').where('repository_id', '=', id).execute();
