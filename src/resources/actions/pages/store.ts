import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { PagesHealth } from './schemas.ts';

export type BuildRow = Selectable<DB['pages_builds']>;

/** A website, with its domain and the status of its latest build. */
export type SiteRow = Omit<Selectable<DB['pages_sites']>, 'health'> & {
  health: PagesHealth | null;
  domain: string | null;
  status: BuildRow['status'] | null;
};

const latestStatus = sql<BuildRow['status'] | null>`(select b.status from pages_builds b
  where b.repository_id = s.repository_id and b.status <> 'cancelled' order by b.id desc limit 1)`;

const sites = (db: Db) =>
  db
    .selectFrom('pages_sites as s')
    .leftJoin('pages_domains as d', 'd.repository_id', 's.repository_id')
    .selectAll('s')
    .select(['d.domain', latestStatus.as('status')])
    .$narrowType<{ health: PagesHealth | null }>();

export const findSite = (db: Db, repository: RepositoryId): Promise<SiteRow | undefined> =>
  sites(db).where('s.repository_id', '=', repository).executeTakeFirst();

/** Reads the website and locks its row until the transaction ends. */
export const findSiteForUpdate = (tx: Tx, repository: RepositoryId): Promise<SiteRow | undefined> =>
  sites(tx).where('s.repository_id', '=', repository).forNoKeyUpdate('s').executeTakeFirst();

/** The websites of repositories that are built from a branch. */
export async function loadBranchSites(db: Db, repositories: readonly RepositoryId[]): Promise<Map<RepositoryId, SiteRow>> {
  if (repositories.length === 0) return new Map();
  const rows = await sites(db).where('s.repository_id', 'in', repositories).where('s.build_type', '=', 'legacy').execute();
  return keyed(rows, ({ repository_id }) => repository_id);
}

/** Inserts a website; false if the repository already has one. */
export const insertSite = async (tx: Tx, row: Insertable<DB['pages_sites']>): Promise<boolean> =>
  (await tx
    .insertInto('pages_sites')
    .values(row)
    .onConflict((clash) => clash.doNothing())
    .returning('repository_id')
    .executeTakeFirst()) !== undefined;

export const updateSite = (tx: Tx, repository: RepositoryId, change: Updateable<DB['pages_sites']>) =>
  tx.updateTable('pages_sites').set(change).where('repository_id', '=', repository).execute();

/** Removes a website with its domain and its builds; false if there was none. */
export async function removeSite(tx: Tx, repository: RepositoryId): Promise<boolean> {
  const removed = await tx
    .deleteFrom('pages_sites')
    .where('repository_id', '=', repository)
    .returning('repository_id')
    .executeTakeFirst();
  if (!removed) return false;
  await Promise.all([
    removeDomain(tx, repository),
    tx.deleteFrom('pages_builds').where('repository_id', '=', repository).execute(),
  ]);
  return true;
}

export const storeHealth = (tx: Tx, repository: RepositoryId, health: PagesHealth, now: Date) =>
  updateSite(tx, repository, { health: JSON.stringify(health), health_checked_at: now });

/**
 * Sets a repository's domain, replacing its current one; false if the domain belongs to another repository, in which case nothing
 * changes.
 */
export async function putDomain(tx: Tx, repository: RepositoryId, domain: string): Promise<boolean> {
  const base = withoutWww(domain);
  // This keeps others from taking the domain between the following two statements, until the transaction ends.
  await sql`select pg_advisory_xact_lock(hashtextextended('pages domain:' || ${base}, 0))`.execute(tx);
  const taken = await tx
    .selectFrom('pages_domains')
    .select('base')
    .where('base', '=', base)
    .where('repository_id', '<>', repository)
    .executeTakeFirst();
  if (taken) return false;
  const row = { base, domain };
  await tx
    .insertInto('pages_domains')
    .values({ ...row, repository_id: repository })
    .onConflict((clash) => clash.column('repository_id').doUpdateSet(row))
    .execute();
  return true;
}

export const removeDomain = (tx: Tx, repository: RepositoryId) =>
  tx.deleteFrom('pages_domains').where('repository_id', '=', repository).execute();

/** A domain without `www.`, since both forms belong together. */
export const withoutWww = (domain: string): string => domain.replace(/^www\.(?=.*\.)/, '');

/** The builds of a website from its branch. */
const ofRepository = (db: Db, repository: OrSql<RepositoryId>) =>
  db.selectFrom('pages_builds').selectAll().where('repository_id', '=', repository).where('kind', '=', 'branch');

/** The builds of a website, newest first. */
export const listBuilds = (db: Db, repository: RepositoryId, page: Page): Promise<Listed<BuildRow>> =>
  list(db, ofRepository(db, repository).orderBy('id', 'desc'), page);

export const selectBuild = (db: Db, repository: OrSql<RepositoryId>, id: Id<'pages_builds'>) =>
  ofRepository(db, repository).where('id', '=', id);

export const findLatestBuild = (db: Db, repository: RepositoryId): Promise<BuildRow | undefined> =>
  ofRepository(db, repository).orderBy('id', 'desc').limit(1).executeTakeFirst();

export const findBuild = (db: Db, id: Id<'pages_builds'>): Promise<BuildRow | undefined> =>
  db.selectFrom('pages_builds').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads a build again and locks its row until the transaction ends. */
export const findBuildForUpdate = (tx: Tx, id: Id<'pages_builds'>): Promise<BuildRow | undefined> =>
  tx.selectFrom('pages_builds').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The latest deployment of a website, by its id or by the version that its workflow set. */
export const selectDeployment = (
  db: Db,
  repository: OrSql<RepositoryId>,
  name: { id: Id<'pages_builds'> } | { version: string },
) => {
  const query = db.selectFrom('pages_builds').selectAll().where('repository_id', '=', repository).where('kind', '=', 'artifact');
  const found = 'id' in name ? query.where('id', '=', name.id) : query.where('commit_sha', '=', name.version);
  return found.orderBy('id', 'desc').limit(1);
};

type NewDeployment = Pick<BuildRow, 'repository_id' | 'artifact_id' | 'commit_sha' | 'pusher_id' | 'created_at' | 'updated_at'>;

export const insertDeployment = (tx: Tx, row: NewDeployment): Promise<BuildRow> =>
  tx
    .insertInto('pages_builds')
    .values({ ...row, kind: 'artifact' })
    .returningAll()
    .executeTakeFirstOrThrow();

export const loadBuilds = async (db: Db, ids: readonly Id<'pages_builds'>[]): Promise<Map<Id<'pages_builds'>, BuildRow>> =>
  keyed(ids.length === 0 ? [] : await db.selectFrom('pages_builds').selectAll().where('id', 'in', ids).execute(), ({ id }) => id);

export type NewBuild = Pick<BuildRow, 'repository_id' | 'event_id' | 'commit_sha' | 'pusher_id' | 'created_at' | 'updated_at'>;

/** Inserts builds, except those that their events already caused. Returns the inserted builds. */
export const insertBuilds = (tx: Tx, rows: readonly NewBuild[]): Promise<Pick<BuildRow, 'id' | 'repository_id'>[]> =>
  tx
    .insertInto('pages_builds')
    .values(rows)
    .onConflict((clash) => clash.doNothing())
    .returning(['id', 'repository_id'])
    .execute();

/** Marks a build as running; false if it has ended, for example because it was cancelled. */
export const beginBuild = async (tx: Tx, id: Id<'pages_builds'>, now: Date): Promise<boolean> =>
  (await tx
    .updateTable('pages_builds')
    .set({ status: 'building', updated_at: now })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'building'])
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const updateBuild = (tx: Tx, id: Id<'pages_builds'>, change: Updateable<DB['pages_builds']>) =>
  tx.updateTable('pages_builds').set(change).where('id', '=', id).execute();
