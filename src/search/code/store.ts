import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { RepositoryId } from '#lib/id.ts';
import { wordsColumn } from '#search/words-column.ts';
import type { Document } from './document.ts';

export const findCodeIndex = (db: Db, repository: RepositoryId) =>
  db.selectFrom('code_indexes').selectAll().where('repository_id', '=', repository).executeTakeFirst();

export type IndexState = { branch: string; commit_oid: string | null; analyser: number; files: number; indexed_at: Date };

/** Stores the state of a repository's index. */
export async function saveCodeIndex(tx: Tx, repository: RepositoryId, state: IndexState): Promise<void> {
  await tx
    .insertInto('code_indexes')
    .values({ repository_id: repository, ...state, version: 1 })
    .onConflict((conflict) =>
      conflict.column('repository_id').doUpdateSet((eb) => ({ ...state, version: eb('code_indexes.version', '+', 1) })),
    )
    .execute();
}

/** The object names of indexed files, by path. */
export async function listIndexedFiles(db: Db, repository: RepositoryId): Promise<Map<string, string>> {
  const { rows } = await sql<{ path: string; oid: string }>`
    select path, encode(blob_oid, 'hex') as oid from code_files where repository_id = ${repository}`.execute(db);
  return new Map(rows.map(({ path, oid }) => [path, oid]));
}

export async function countIndexedFiles(db: Db, repository: RepositoryId): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    select count(*) as files from code_files where repository_id = ${repository}`.execute(db);
  return rows[0]?.files ?? 0;
}

/** The number of indexed files of a repository, and the sum of their sizes in bytes. */
export async function sumIndexedFiles(db: Db, repository: RepositoryId): Promise<{ files: number; bytes: number }> {
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*) as files, coalesce(sum(size), 0)::bigint as bytes from code_files
    where repository_id = ${repository}`.execute(db);
  return rows[0] ?? { files: 0, bytes: 0 };
}

/** Increments the version of a repository's index, for caches. */
async function incrementVersion(tx: Tx, repository: RepositoryId): Promise<void> {
  await sql`update code_indexes set version = version + 1 where repository_id = ${repository}`.execute(tx);
}

export async function removeAllFiles(tx: Tx, repository: RepositoryId): Promise<void> {
  await incrementVersion(tx, repository);
  await sql`delete from code_files where repository_id = ${repository}`.execute(tx);
}

export async function removeFiles(tx: Tx, repository: RepositoryId, paths: readonly string[]): Promise<void> {
  await incrementVersion(tx, repository);
  await sql`delete from code_files where repository_id = ${repository}
    and md5(path)::uuid in (select md5(p)::uuid from unnest(${paths}::text[]) as p)`.execute(tx);
}

/** Replaces the rows of these paths with these documents. */
export async function replaceFiles(
  tx: Tx,
  repository: RepositoryId,
  paths: readonly string[],
  documents: readonly Document[],
): Promise<void> {
  await removeFiles(tx, repository, paths);
  if (documents.length > 0) await insertFiles(tx, repository, documents);
}

/** Adds files in one statement. The caller increments the version. */
async function insertFiles(tx: Tx, repository: RepositoryId, documents: readonly Document[]): Promise<void> {
  const column = <T>(value: (document: Document) => T): T[] => documents.map(value);
  await sql`
    with given as (
      select * from unnest(
        ${column((d) => d.size)}::integer[], ${column((d) => d.weight)}::real[], ${column((d) => d.oid)}::text[],
        ${column((d) => d.language ?? null)}::text[], ${column((d) => d.path)}::text[],
        ${column((d) => wordsColumn(d.lexemes))}::text[], ${column((d) => d.pairs.toString('hex'))}::text[]
      ) as f (size, weight, oid, language, path, words, pairs)
    ), added as (
      insert into code_files (repository_id, size, weight, blob_oid, language, path, words)
      select ${repository}, size, weight, decode(oid, 'hex'), language, path, words from given
      returning id, path
    )
    insert into code_pairs (file_id, pairs) select added.id, decode(given.pairs, 'hex')
    from added join given using (path)`.execute(tx);
}

/**
 * Runs `work`, which adds many rows on this connection, with a larger pending list for the GIN index. Searches are slower in the
 * meantime, since they scan that list.
 */
export async function withBulkSettings<T>(connection: Db, work: () => Promise<T>): Promise<T> {
  await sql`select set_config('gin_pending_list_limit', '16MB', false), set_config('work_mem', '64MB', false)`.execute(
    connection,
  );
  try {
    return await work();
  } finally {
    await sql`reset gin_pending_list_limit`.execute(connection);
    await sql`reset work_mem`.execute(connection);
  }
}

/** Moves new entries from the pending list of the GIN index into the index, which makes searches faster. */
export async function flushPendingList(db: Db): Promise<void> {
  await sql`select gin_clean_pending_list('code_files_words')`.execute(db);
}
