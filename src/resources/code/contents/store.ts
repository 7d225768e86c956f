import { sql } from 'kysely';
import { readableBy } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** The languages of a commit on the default branch (null: there was none), and the version of the detector that measured them. */
type Measurement = { commit_oid: string | null; bytes: Record<string, number>; detector: number | null };

export const findMeasurement = (db: Db, repository: Id<'repositories'>): Promise<Measurement | undefined> =>
  db
    .selectFrom('repository_languages')
    .select(['commit_oid', sql<Measurement['bytes']>`bytes`.as('bytes'), 'detector'])
    .where('repository_id', '=', repository)
    .executeTakeFirst();

export function putMeasurement(tx: Tx, repository: Id<'repositories'>, { bytes, ...rest }: Measurement) {
  const row = { ...rest, bytes: JSON.stringify(bytes) };
  return tx
    .insertInto('repository_languages')
    .values({ repository_id: repository, ...row })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(row))
    .execute();
}

/** Repositories, ordered by id, whose default branch this version of the detector hasn't measured. */
export async function listUnmeasured(
  db: Db,
  { detector, after, limit }: { detector: number; after: number; limit: number },
): Promise<Id<'repositories'>[]> {
  const { rows } = await sql<{ id: Id<'repositories'> }>`
    select r.id from repositories r left join repository_languages l on l.repository_id = r.id
    where r.id > ${after} and r.pushed_at is not null and l.detector is distinct from ${detector}
    order by r.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether a viewer may read the files of a repository. */
export async function isReadable(db: Db, viewer: Viewer, repository: Id<'repositories'>): Promise<boolean> {
  const query = db.selectFrom('repositories as r').select('r.id').where('r.id', '=', repository);
  return (await query.where(readableBy(viewer, 'contents')).executeTakeFirst()) !== undefined;
}
