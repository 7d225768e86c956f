import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { RepositoryId } from '#lib/id.ts';
import { wordsColumn } from '#search/words-column.ts';
import type { CommitDocument } from './document.ts';

export const findCommitIndex = (db: Db, repository: RepositoryId) =>
  db.selectFrom('commit_indexes').selectAll().where('repository_id', '=', repository).executeTakeFirst();

export type CommitIndexState = { branch: string; commit_oid: string | null; analyser: number; commits: number; indexed_at: Date };

/** Stores the state of a repository's index. */
export async function saveCommitIndex(tx: Tx, repository: RepositoryId, state: CommitIndexState): Promise<void> {
  await tx
    .insertInto('commit_indexes')
    .values({ repository_id: repository, ...state })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(state))
    .execute();
}

/** The object names of the indexed commits. */
export async function listIndexedCommits(db: Db, repository: RepositoryId): Promise<Set<string>> {
  const { rows } = await sql<{ oid: string }>`
    select encode(oid, 'hex') as oid from indexed_commits where repository_id = ${repository}`.execute(db);
  return new Set(rows.map(({ oid }) => oid));
}

export async function countIndexedCommits(db: Db, repository: RepositoryId): Promise<number> {
  const { rows } = await sql<{ commits: number }>`
    select count(*) as commits from indexed_commits where repository_id = ${repository}`.execute(db);
  return rows[0]?.commits ?? 0;
}

export async function removeAllCommits(tx: Tx, repository: RepositoryId): Promise<void> {
  await sql`delete from indexed_commits where repository_id = ${repository}`.execute(tx);
}

export async function removeCommits(tx: Tx, repository: RepositoryId, oids: readonly string[]): Promise<void> {
  await sql`delete from indexed_commits where repository_id = ${repository}
    and oid in (select decode(o, 'hex') from unnest(${oids}::text[]) as o)`.execute(tx);
}

/** Adds commits in one statement. Existing rows stay unchanged. */
export async function insertCommits(tx: Tx, repository: RepositoryId, documents: readonly CommitDocument[]): Promise<void> {
  const column = <T>(value: (document: CommitDocument) => T): T[] => documents.map(value);
  await sql`
    insert into indexed_commits (repository_id, oid, weight, author_date, committer_date, merge, message, words)
    select ${repository}, decode(oid, 'hex'), weight, author_date, committer_date, merge, message, words
    from unnest(
      ${column((d) => d.oid)}::text[], ${column((d) => d.weight)}::real[], ${column((d) => d.authorDate)}::timestamptz[],
      ${column((d) => d.committerDate)}::timestamptz[], ${column((d) => d.merge)}::boolean[], ${column((d) => d.message)}::text[],
      ${column((d) => wordsColumn(d.lexemes))}::text[]
    ) as c (oid, weight, author_date, committer_date, merge, message, words)
    on conflict (repository_id, oid) do nothing`.execute(tx);
}

/** Moves new entries from the pending list of the GIN index into the index, which makes searches faster. */
export async function flushPendingList(db: Db): Promise<void> {
  await sql`select gin_clean_pending_list('indexed_commits_words')`.execute(db);
}
