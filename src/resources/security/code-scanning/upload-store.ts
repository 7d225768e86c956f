import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

type Upload = Id<'code_scanning_uploads'>;

export type UploadRow = Selectable<DB['code_scanning_uploads']>;

/** An upload of a repository by the identifier that its sender got. */
export const selectUpload = (db: Db, repository: OrSql<RepositoryId>, sarif: string) =>
  db.selectFrom('code_scanning_uploads').selectAll().where('repository_id', '=', repository).where('sarif_id', '=', sarif);

export const findUpload = (db: Db, id: Upload): Promise<UploadRow | undefined> =>
  db.selectFrom('code_scanning_uploads').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the upload again and locks its row. */
export const findUploadForUpdate = (tx: Tx, { id }: Pick<UploadRow, 'id'>): Promise<UploadRow | undefined> =>
  tx.selectFrom('code_scanning_uploads').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const insertUpload = (tx: Tx, row: Insertable<DB['code_scanning_uploads']>): Promise<UploadRow> =>
  tx.insertInto('code_scanning_uploads').values(row).returningAll().executeTakeFirstOrThrow();

/** Whether results files wait to be read: for a commit, or for any commit of some refs. */
export async function isUploadPending(
  db: Db,
  { repository, commit, refs }: { repository: RepositoryId; commit: string; refs: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`select exists (select from code_scanning_uploads
    where repository_id = ${repository} and state = 'pending'
      and (commit_sha = ${commit} or ref = any (${[...refs]}::text[]))) as known`.execute(db);
  return rows[0]?.known === true;
}

export const updateUpload = (tx: Tx, id: Upload, change: Pick<UploadRow, 'state'> & { errors?: string[] }) =>
  tx.updateTable('code_scanning_uploads').set(change).where('id', '=', id).execute();

/** The given objects that are waiting files, or files that still have an analysis. */
export async function loadKnownKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('code_scanning_uploads as u')
    .select('u.object_key')
    .where('u.object_key', 'in', [...keys])
    .where(sql<boolean>`(u.state = 'pending' or exists (select from code_scanning_analyses a where a.upload_id = u.id))`)
    .execute();
  return new Set(gather(rows, 'object_key'));
}

type StoredAnalysis = Selectable<DB['code_scanning_analyses']>;

/** An analysis, with its upload's identifier, and whether it is the latest for its ref, tool and category. */
export type AnalysisRow = Omit<StoredAnalysis, 'alert_numbers' | 'pull_head_sha'> & { sarif_id: string; is_last: boolean };

const isLast = sql<boolean>`not exists (select from code_scanning_analyses later where later.repository_id = a.repository_id
  and later.ref = a.ref and later.tool_name = a.tool_name and later.category = a.category and later.id > a.id)`;

const analyses = (db: Db) =>
  db
    .selectFrom('code_scanning_analyses as a')
    .innerJoin('code_scanning_uploads as u', 'u.id', 'a.upload_id')
    .select(['a.id', 'a.repository_id', 'a.upload_id', 'a.run_index', 'a.ref', 'a.commit_sha', 'a.tool_name', 'a.tool_version'])
    .select(['a.tool_guid', 'a.category', 'a.results_count', 'a.rules_count', 'a.warning', 'a.created_at', 'u.sarif_id'])
    .select(isLast.as('is_last'));

/** An analysis of a repository. */
export const selectAnalysis = (db: Db, repository: OrSql<RepositoryId>, id: Id<'code_scanning_analyses'>) =>
  analyses(db).where('a.repository_id', '=', repository).where('a.id', '=', id);

/** Reads the analysis again and locks its row until the transaction ends. */
export const findAnalysisForUpdate = (tx: Tx, { id }: Pick<AnalysisRow, 'id'>): Promise<AnalysisRow | undefined> =>
  analyses(tx).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst();

export type AnalysisFilter = {
  tool?: string | undefined;
  guid?: string | undefined;
  refs?: readonly string[] | undefined;
  sarif?: string | undefined;
  direction: 'asc' | 'desc';
};

/** The analyses of a repository. */
export function listAnalyses(
  db: Db,
  repository: RepositoryId,
  { tool, guid, refs, sarif, direction }: AnalysisFilter,
  page: Page,
): Promise<Listed<AnalysisRow>> {
  let query = analyses(db).where('a.repository_id', '=', repository);
  if (tool !== undefined) query = query.where('a.tool_name', '=', tool);
  if (guid !== undefined) query = query.where('a.tool_guid', '=', guid);
  if (refs !== undefined) query = query.where('a.ref', 'in', refs);
  if (sarif !== undefined) query = query.where('u.sarif_id', '=', sarif);
  return list(db, query.orderBy('a.id', direction), page);
}

export const insertAnalysis = (tx: Tx, row: Insertable<DB['code_scanning_analyses']>): Promise<Pick<StoredAnalysis, 'id'>> =>
  tx.insertInto('code_scanning_analyses').values(row).returning('id').executeTakeFirstOrThrow();

export const saveAlertNumbers = (tx: Tx, id: Id<'code_scanning_analyses'>, numbers: number[]) =>
  tx.updateTable('code_scanning_analyses').set({ alert_numbers: numbers }).where('id', '=', id).execute();

/** The numbers of the alerts of an analysis's results, in order; 0 for a result without an alert. */
export async function listAlertNumbers(db: Db, id: Id<'code_scanning_analyses'>): Promise<number[]> {
  const row = await db.selectFrom('code_scanning_analyses').select('alert_numbers').where('id', '=', id).executeTakeFirst();
  return row?.alert_numbers ?? [];
}

export const removeAnalysis = (tx: Tx, id: Id<'code_scanning_analyses'>) =>
  tx.deleteFrom('code_scanning_analyses').where('id', '=', id).execute();

/** The common properties of a set of successive analyses. */
export type AnalysisSet = Pick<StoredAnalysis, 'repository_id' | 'ref' | 'tool_name' | 'category'>;

const ofSet = (db: Db, { repository_id, ref, tool_name, category }: AnalysisSet) =>
  db
    .selectFrom('code_scanning_analyses')
    .where('repository_id', '=', repository_id)
    .where('ref', '=', ref)
    .where('tool_name', '=', tool_name)
    .where('category', '=', category);

/** The latest analyses of a set, latest first. */
export const listLastAnalyses = (
  db: Db,
  set: AnalysisSet,
  limit: number,
): Promise<Omit<StoredAnalysis, 'alert_numbers' | 'pull_head_sha'>[]> =>
  ofSet(db, set)
    .select(['id', 'repository_id', 'upload_id', 'run_index', 'ref', 'commit_sha', 'tool_name', 'tool_version', 'tool_guid'])
    .select(['category', 'results_count', 'rules_count', 'warning', 'created_at'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Removes all analyses of a set except the latest ones. */
export const removeEarlierAnalyses = (tx: Tx, set: AnalysisSet, keep: number) =>
  tx
    .deleteFrom('code_scanning_analyses')
    .where('id', 'in', ofSet(tx, set).select('id').orderBy('id', 'desc').offset(keep))
    .execute();

/** Moves the analyses and the waiting files of a ref to another one. */
export async function moveAnalyses(tx: Tx, repository: RepositoryId, from: string, to: string): Promise<void> {
  await sql`update code_scanning_analyses set ref = ${to} where repository_id = ${repository} and ref = ${from}`.execute(tx);
  await sql`update code_scanning_uploads set ref = ${to} where repository_id = ${repository} and ref = ${from}`.execute(tx);
}

/** The given repositories that were analysed. */
export async function listAnalysed(db: Db, repositories: readonly RepositoryId[]): Promise<RepositoryId[]> {
  const { rows } = await sql<{ id: RepositoryId }>`select id from unnest(${[...repositories]}::bigint[]) as w(id)
    where exists (select from code_scanning_analyses a where a.repository_id = w.id)`.execute(db);
  return gather(rows, 'id');
}

/** Whether a tool has ever analysed a ref. */
export async function isAnalysed(db: Db, { repository_id, ref, tool_name }: Omit<AnalysisSet, 'category'>): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`select exists (select from code_scanning_analyses
    where repository_id = ${repository_id} and ref = ${ref} and tool_name = ${tool_name}) as known`.execute(db);
  return rows[0]?.known === true;
}
