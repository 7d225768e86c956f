import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type UploadRow = Selectable<DB['job_uploads']>;
export type BlockRow = Selectable<DB['job_upload_blocks']>;
type Upload = Id<'job_uploads'>;

export const insertUpload = (tx: Tx, row: Insertable<DB['job_uploads']>): Promise<UploadRow> =>
  tx.insertInto('job_uploads').values(row).returningAll().executeTakeFirstOrThrow();

/** An upload of a running job, with the owner of its repository. */
type OpenUpload = UploadRow & { readonly owner_id: Id<'accounts'> };

/** An upload of a running job. */
export const findOpenUpload = (db: Db, id: Upload): Promise<OpenUpload | undefined> =>
  db
    .selectFrom('job_uploads')
    .innerJoin('workflow_jobs', 'workflow_jobs.id', 'job_uploads.job_id')
    .innerJoin('repositories', 'repositories.id', 'workflow_jobs.repository_id')
    .selectAll('job_uploads')
    .select('repositories.owner_id')
    .where('job_uploads.id', '=', id)
    .where('workflow_jobs.status', '=', 'in_progress')
    .executeTakeFirst();

export const findUploadForUpdate = (tx: Tx, id: Upload): Promise<UploadRow | undefined> =>
  tx.selectFrom('job_uploads').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Stores the result of an upload. */
export const setWhole = async (tx: Tx, id: Upload, whole: Pick<BlockRow, 'object_key' | 'size' | 'digest'>): Promise<void> => {
  await tx.updateTable('job_uploads').set(whole).where('id', '=', id).execute();
};

/** Removes an upload with its blocks. */
export const removeUpload = async (tx: Tx, id: Upload): Promise<void> => {
  await tx.deleteFrom('job_uploads').where('id', '=', id).execute();
};

/** The number of an upload's blocks, and their bytes. */
export const sumBlocks = (db: Db, upload: Upload): Promise<{ total: number; bytes: number }> =>
  db
    .selectFrom('job_upload_blocks')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      sql<number>`coalesce(sum(size), 0)::bigint`.as('bytes'), // the sum would be numeric
    ])
    .where('upload_id', '=', upload)
    .executeTakeFirstOrThrow();

/** A block by its name. */
export const findBlock = (db: Db, upload: Upload, name: string): Promise<BlockRow | undefined> =>
  db.selectFrom('job_upload_blocks').selectAll().where('upload_id', '=', upload).where('name', '=', name).executeTakeFirst();

/** All blocks of an upload. Their number is limited. */
export const listBlocks = (db: Db, upload: Upload): Promise<BlockRow[]> =>
  db.selectFrom('job_upload_blocks').selectAll().where('upload_id', '=', upload).execute();

/** Adds a block, replacing one with the same name. */
export const putBlock = async (tx: Tx, row: BlockRow): Promise<void> => {
  const { upload_id, name, ...block } = row;
  await tx
    .insertInto('job_upload_blocks')
    .values({ upload_id, name, ...block })
    .onConflict((conflict) => conflict.columns(['upload_id', 'name']).doUpdateSet(block))
    .execute();
};

/** Uploads of jobs that no longer run. They will never be completed. */
export const listAbandoned = async (db: Db, limit: number): Promise<Upload[]> => {
  const rows = await db
    .selectFrom('job_uploads')
    .innerJoin('workflow_jobs', 'workflow_jobs.id', 'job_uploads.job_id')
    .select('job_uploads.id')
    .where('workflow_jobs.status', '=', 'completed')
    .orderBy('job_uploads.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
};

/** The given object keys that belong to uploads. */
export async function loadKnownKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const wholes = db
    .selectFrom('job_uploads')
    .select('object_key')
    .where('object_key', 'in', [...keys]);
  const blocks = db
    .selectFrom('job_upload_blocks')
    .select('object_key')
    .where('object_key', 'in', [...keys]);
  const rows = await wholes.unionAll(blocks.$castTo<{ object_key: string | null }>()).execute();
  return new Set(rows.map(({ object_key }) => object_key ?? ''));
}
