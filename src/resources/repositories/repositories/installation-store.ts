import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/**
 * Statements that write the repositories of installations of apps. They are here, and not in the family of apps, since the
 * transfer of a repository removes it from its former owner's installations in the same transaction.
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

/** Removes a repository from the lists of all installations. Returns those that had it. */
export async function removeFromInstallations(tx: Tx, id: Id<'repositories'>): Promise<Id<'installations'>[]> {
  const removed = tx.deleteFrom('installation_repositories').where('repository_id', '=', id).returning('installation_id');
  return (await removed.execute()).map(({ installation_id }) => installation_id).sort((one, other) => one - other);
}
