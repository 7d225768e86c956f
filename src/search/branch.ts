import { type RawBuilder, sql } from 'kysely';
import { type Db, onOneConnection } from '#database/connect.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import type { GitRepository } from '#git/repo.ts';
import { repositoryExists } from '#git/store.ts';
import type { RepositoryId } from '#lib/id.ts';

/** The default branch, which is the indexed branch; undefined if the repository doesn't exist. */
export const findDefaultBranch = async (db: Db, repository: RepositoryId): Promise<string | undefined> =>
  (await db.selectFrom('repositories').select('default_branch').where('id', '=', repository).executeTakeFirst())?.default_branch;

/** The commit of a branch; undefined if the repository doesn't have the branch. */
export async function findTip(repo: GitRepository, branch: string): Promise<Oid | undefined> {
  if (!(await repositoryExists(repo))) return undefined;
  await using reader = await openObjects(repo);
  return (await reader.findInfo(branchRef(branch), { peel: 'commit' }))?.oid;
}

/**
 * Runs `work` under an advisory lock on this index of the repository, so that one process indexes it at a time. A crash releases
 * the lock with its connection.
 */
export function withIndexLock<T>(
  db: Db,
  index: string,
  repository: RepositoryId,
  work: (connection: Db) => Promise<T>,
): Promise<T> {
  const key: RawBuilder<unknown> = sql`hashtextextended(${`${index}:${repository}`}, 0)`;
  return onOneConnection(db, async (connection) => {
    await sql`select pg_advisory_lock(${key})`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection);
    }
  });
}
