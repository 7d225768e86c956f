import type { Insertable, Selectable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

type ArtifactRow = Selectable<DB['artifacts']>;
/** A complete artifact. An expired one no longer has an object. */
export type WholeArtifact = ArtifactRow & { readonly size: number; readonly digest: string };
type Run = Id<'workflow_runs'>;
type Job = Id<'workflow_jobs'>;

const whole = (db: Db) => db.selectFrom('artifacts').selectAll().where('upload_id', 'is', null).$narrowType<WholeArtifact>();

export const selectArtifact = (db: Db, repository: OrSql<Id<'repositories'>>, id: Id<'artifacts'>) =>
  whole(db).where('repository_id', '=', repository).where('id', '=', id);

export const findArtifact = (db: Db, id: Id<'artifacts'>): Promise<WholeArtifact | undefined> =>
  whole(db).where('id', '=', id).executeTakeFirst();

export const findArtifactForUpdate = (tx: Tx, { id }: Pick<ArtifactRow, 'id'>): Promise<WholeArtifact | undefined> =>
  whole(tx).where('id', '=', id).forUpdate().executeTakeFirst();

/** The requested artifacts: of a repository or of a run, by name or all. */
type WantedArtifacts = ({ readonly repository: Id<'repositories'> } | { readonly run: Run }) & {
  readonly name?: string | undefined;
  readonly direction?: 'asc' | 'desc';
};

export function listArtifacts(db: Db, wanted: WantedArtifacts, page: Page): Promise<Listed<WholeArtifact>> {
  const { name, direction = 'desc' } = wanted;
  const all = whole(db).orderBy('id', direction);
  const query = 'run' in wanted ? all.where('run_id', '=', wanted.run) : all.where('repository_id', '=', wanted.repository);
  return list(db, name === undefined ? query : query.where('name', '=', name), page);
}

/** The readable artifacts of a run, newest first. */
export function listReadable(
  db: Db,
  run: Run,
  { name, id, now, limit }: { name?: string | undefined; id?: Id<'artifacts'> | undefined; now: Date; limit: number },
): Promise<WholeArtifact[]> {
  let query = whole(db).where('run_id', '=', run).where('object_key', 'is not', null).where('expires_at', '>', now);
  if (name !== undefined) query = query.where('name', '=', name);
  if (id !== undefined) query = query.where('id', '=', id);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** An artifact of a run, by its job and name. */
export const findArtifactOfJob = (db: Db, run: Run, job: Job, name: string): Promise<WholeArtifact | undefined> =>
  whole(db).where('run_id', '=', run).where('job_id', '=', job).where('name', '=', name).executeTakeFirst();

/** An unfinished artifact of a job. */
export const findBegun = (tx: Tx, job: Job, name: string): Promise<ArtifactRow | undefined> =>
  tx
    .selectFrom('artifacts')
    .selectAll()
    .where('job_id', '=', job)
    .where('name', '=', name)
    .where('upload_id', 'is not', null)
    .forUpdate()
    .executeTakeFirst();

/** The number of a job's artifacts, and whether its attempt already has one with this name. */
export async function countArtifacts(
  db: Db,
  { id, run_id, attempt }: { id: Job; run_id: Run; attempt: number },
  name: string,
): Promise<{ total: number; clash: boolean }> {
  const [counted, clash] = await Promise.all([
    db
      .selectFrom('artifacts')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('job_id', '=', id)
      .executeTakeFirstOrThrow(),
    whole(db).where('run_id', '=', run_id).where('attempt', '=', attempt).where('name', '=', name).executeTakeFirst(),
  ]);
  return { total: counted.total, clash: clash !== undefined };
}

export const insertArtifact = (tx: Tx, row: Insertable<DB['artifacts']>): Promise<ArtifactRow> =>
  tx.insertInto('artifacts').values(row).returningAll().executeTakeFirstOrThrow();

/** Sets the object of an artifact, which then has no upload. */
export const setObject = async (
  tx: Tx,
  id: Id<'artifacts'>,
  object: Pick<WholeArtifact, 'object_key' | 'size' | 'digest' | 'updated_at'>,
): Promise<void> => {
  await tx
    .updateTable('artifacts')
    .set({ ...object, upload_id: null })
    .where('id', '=', id)
    .execute();
};

export const removeArtifact = async (tx: Tx, id: Id<'artifacts'>): Promise<void> => {
  await tx.deleteFrom('artifacts').where('id', '=', id).execute();
};

/** Expires artifacts, and returns their objects. */
export async function expireArtifacts(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const due = await tx
    .selectFrom('artifacts')
    .select(['id', 'object_key'])
    .where('object_key', 'is not', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .execute();
  if (due.length === 0) return [];
  await tx
    .updateTable('artifacts')
    .set({ object_key: null })
    .where(
      'id',
      'in',
      due.map(({ id }) => id),
    )
    .execute();
  return due.flatMap(({ object_key }) => object_key ?? []);
}

/** The given object keys that belong to artifacts. */
export async function loadKnownKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('artifacts')
    .select('object_key')
    .where('object_key', 'in', [...keys])
    .execute();
  return new Set(rows.flatMap(({ object_key }) => object_key ?? []));
}
