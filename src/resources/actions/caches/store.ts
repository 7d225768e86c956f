import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

type CacheRow = Selectable<DB['caches']>;
/** A complete cache. */
export type WholeCache = CacheRow & { readonly object_key: string; readonly size: number; readonly digest: string };
type Cache = Id<'caches'>;

const whole = (db: Db) => db.selectFrom('caches').selectAll().where('upload_id', 'is', null).$narrowType<WholeCache>();

export const selectCache = (db: Db, repository: OrSql<RepositoryId>, id: Cache) =>
  whole(db).where('repository_id', '=', repository).where('id', '=', id);

export const findCache = (db: Db, id: Cache): Promise<WholeCache | undefined> =>
  whole(db).where('id', '=', id).executeTakeFirst();

/** The requested caches. `key` is a prefix of their keys. */
type WantedCaches = {
  readonly repository: RepositoryId;
  readonly key?: string | undefined;
  readonly ref?: string | undefined;
  readonly sort: 'created_at' | 'last_accessed_at' | 'size_in_bytes';
  readonly direction: 'asc' | 'desc';
};

export function listCaches(
  db: Db,
  { repository, key, ref, sort, direction }: WantedCaches,
  page: Page,
): Promise<Listed<WholeCache>> {
  let query = whole(db).where('repository_id', '=', repository);
  if (key !== undefined) query = query.where(sql<boolean>`starts_with(key, ${key})`);
  if (ref !== undefined) query = query.where('ref', '=', ref);
  return list(db, query.orderBy(sort === 'size_in_bytes' ? 'size' : sort, direction).orderBy('id', direction), page);
}

/** A cache by its complete name. */
export const findCacheNamed = (
  db: Db,
  { repository, ref, version, key }: { repository: RepositoryId; ref: string; version: string; key: string },
): Promise<WholeCache | undefined> =>
  whole(db)
    .where('repository_id', '=', repository)
    .where('ref', '=', ref)
    .where('version', '=', version)
    .where('key', '=', key)
    .executeTakeFirst();

/**
 * The cache for a job: from the first ref that has one, by the first matching key. An exact match is preferred to a prefix match,
 * then newer caches are preferred.
 */
export async function findFitting(
  db: Db,
  {
    repository,
    refs,
    version,
    keys,
  }: { repository: RepositoryId; refs: readonly string[]; version: string; keys: readonly string[] },
): Promise<WholeCache | undefined> {
  const { rows } = await sql<WholeCache>`
    select c.* from caches c
      join unnest(${refs}::text[]) with ordinality as r(ref, place) on r.ref = c.ref
      join unnest(${keys}::text[]) with ordinality as k(key, place) on starts_with(c.key, k.key)
    where c.repository_id = ${repository} and c.version = ${version} and c.upload_id is null
    order by r.place, k.place, c.key = k.key desc, c.created_at desc, c.id desc
    limit 1`.execute(db);
  return rows[0];
}

/** An unfinished cache of a job. */
export const findBegun = (
  tx: Tx,
  job: Id<'workflow_jobs'>,
  { version, key }: { version: string; key: string },
): Promise<CacheRow | undefined> =>
  tx
    .selectFrom('caches')
    .selectAll()
    .where('job_id', '=', job)
    .where('version', '=', version)
    .where('key', '=', key)
    .where('upload_id', 'is not', null)
    .forUpdate()
    .executeTakeFirst();

export const insertCache = async (tx: Tx, row: Insertable<DB['caches']>): Promise<void> => {
  await tx.insertInto('caches').values(row).execute();
};

/** Sets the object of a cache, which then has no upload. */
export const setObject = async (
  tx: Tx,
  id: Cache,
  object: Pick<WholeCache, 'object_key' | 'size' | 'digest' | 'created_at' | 'last_accessed_at'>,
): Promise<void> => {
  await tx
    .updateTable('caches')
    .set({ ...object, upload_id: null })
    .where('id', '=', id)
    .execute();
};

export const noteAccess = async (tx: Tx, id: Cache, now: Date): Promise<void> => {
  await tx.updateTable('caches').set({ last_accessed_at: now }).where('id', '=', id).execute();
};

/** Removes a cache, and returns its object. */
export const removeCache = async (tx: Tx, id: Cache): Promise<string[]> =>
  keysOf(await tx.deleteFrom('caches').where('id', '=', id).returning('object_key').execute());

/** Removes the caches with a key, for one ref or all. */
export const removeCachesNamed = (
  tx: Tx,
  { repository, key, ref }: { repository: RepositoryId; key: string; ref: string | undefined },
): Promise<WholeCache[]> => {
  const named = tx
    .deleteFrom('caches')
    .where('repository_id', '=', repository)
    .where('key', '=', key)
    .where('upload_id', 'is', null);
  return (ref === undefined ? named : named.where('ref', '=', ref)).returningAll().$narrowType<WholeCache>().execute();
};

/** The limits on a repository's caches. */
export type Bounds = { readonly bytes: number; readonly caches: number; readonly unusedSince: Date };

/** Removes the caches of a repository beyond its limits, the least recently used first, and returns their objects. */
export async function removeBeyond(tx: Tx, repository: RepositoryId, { bytes, caches, unusedSince }: Bounds): Promise<string[]> {
  const { rows } = await sql<{ object_key: string | null }>`
    delete from caches where id in (
      select id from (
        select id, last_accessed_at,
          sum(size) over latest as bytes, row_number() over latest as place
        from caches where repository_id = ${repository} and upload_id is null
        window latest as (order by last_accessed_at desc, id desc)) as kept
      where bytes > ${bytes} or place > ${caches} or last_accessed_at < ${unusedSince})
    returning object_key`.execute(tx);
  return keysOf(rows);
}

/** Repositories that have caches, after a given one, ordered by id. */
export const listRepositoriesWithCaches = async (db: Db, after: number, limit: number) =>
  (
    await sql<{ id: RepositoryId; owner_id: Id<'accounts'> }>`
      select id, owner_id from repositories p
      where id > ${after} and exists (select from caches c where c.repository_id = p.id)
      order by id limit ${limit}`.execute(db)
  ).rows;

/** The number of a repository's caches, and their bytes. */
export const sumCaches = (db: Db, repository: RepositoryId): Promise<{ total: number; bytes: number }> =>
  db
    .selectFrom('caches')
    .select(({ fn }) => [fn.countAll<number>().as('total'), bytesOfAll.as('bytes')])
    .where('repository_id', '=', repository)
    .where('upload_id', 'is', null)
    .executeTakeFirstOrThrow();

const bytesOfAll = sql<number>`coalesce(sum(size), 0)::bigint`; // the sum would be numeric

/** The number and bytes of the caches of all repositories of an account. */
export const sumCachesOf = (db: Db, owner: Id<'accounts'>): Promise<{ total: number; bytes: number }> =>
  db
    .selectFrom('caches')
    .innerJoin('repositories', 'repositories.id', 'caches.repository_id')
    .select(({ fn }) => [fn.countAll<number>().as('total'), bytesOfAll.as('bytes')])
    .where('repositories.owner_id', '=', owner)
    .where('caches.upload_id', 'is', null)
    .executeTakeFirstOrThrow();

/** The repositories of an account that have caches, with their cache sizes. */
export const listUsage = (db: Db, owner: Id<'accounts'>, page: Page) =>
  list(
    db,
    db
      .selectFrom('caches')
      .innerJoin('repositories', 'repositories.id', 'caches.repository_id')
      .select(({ fn }) => ['repositories.id', 'repositories.name', fn.countAll<number>().as('caches'), bytesOfAll.as('bytes')])
      .where('repositories.owner_id', '=', owner)
      .where('caches.upload_id', 'is', null)
      .groupBy('repositories.id')
      .orderBy('repositories.id'),
    page,
  );

/** The given object keys that belong to caches. */
export async function loadKnownKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('caches')
    .select('object_key')
    .where('object_key', 'in', [...keys])
    .execute();
  return new Set(keysOf(rows));
}

const keysOf = (rows: readonly { object_key: string | null }[]): string[] => rows.flatMap(({ object_key }) => object_key ?? []);
