import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import type { RepositoryId } from '#lib/id.ts';
import { analyserVersion } from '#search/analyse/analyse.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { indexRepositoryCommits } from '#search/commits/index-repository.ts';
import { indexRepositoryWords } from '#search/repositories/index-repository.ts';
import { indexStaleAccounts } from '#search/users/index-accounts.ts';

const batchSize = 500;

/**
 * Whether a row of an index (the table alias `index`) of repository `r` is missing, unfinished, or of another version or branch.
 */
export const isStale = (index: string): RawBuilder<boolean> => sql`(r.pushed_at is not null and (
  ${sql.ref(`${index}.analyser`)} is distinct from ${analyserVersion} or ${sql.ref(`${index}.commit_oid`)} is null
  or ${sql.ref(`${index}.branch`)} <> r.default_branch))`;

/**
 * The ids of repositories with stale or unfinished indexes, for example after an upgrade, a restored backup or an interrupted
 * rebuild.
 */
async function listStale(db: Db, after: number): Promise<RepositoryId[]> {
  const { rows } = await sql<{ id: RepositoryId }>`
    select r.id from repositories r
      left join code_indexes f on f.repository_id = r.id
      left join commit_indexes c on c.repository_id = r.id
      left join repository_words w on w.repository_id = r.id
    where r.id > ${after} and (
      w.analyser is distinct from ${analyserVersion} or ${isStale('f')} or ${isStale('c')})
    order by r.id limit ${batchSize}`.execute(db);
  return rows.map(({ id }) => id);
}

type StaleOptions = {
  db: Db;
  git: GitStore;
  now: Date;
  /** Called for a repository that can't be indexed. The others are still indexed. */
  onFailure: (error: unknown, repository: RepositoryId) => void;
};

/** Updates all stale indexes: first of accounts, then of repositories one after the other. Returns both numbers. */
export async function indexStale(options: StaleOptions): Promise<{ accounts: number; repositories: number }> {
  const accounts = await indexStaleAccounts(options.db);
  return { accounts, repositories: await indexStaleRepositories(options) };
}

async function indexStaleRepositories({ db, git, now, onFailure }: StaleOptions): Promise<number> {
  let done = 0;
  for (let after = 0; ; ) {
    const ids = await listStale(db, after);
    for (const repositoryId of ids) {
      after = repositoryId;
      done += 1;
      try {
        await indexRepositoryCode({ db, git, repositoryId, now });
        await indexRepositoryCommits({ db, git, repositoryId, now });
        await indexRepositoryWords({ db, git, id: repositoryId });
      } catch (error) {
        onFailure(error, repositoryId);
      }
    }
    if (ids.length < batchSize) return done;
  }
}
