import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { roleLevel } from '#access/roles.ts';
import { readableRepositoryIds } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type MigrationRow = Selectable<DB['migrations']>;
type Account = Id<'accounts'>;
type Migration = Id<'migrations'>;

/** The migrations of an account, latest first. */
export const listMigrations = (db: Db, account: Account, page: Page): Promise<Listed<MigrationRow>> =>
  list(db, db.selectFrom('migrations').selectAll().where('account_id', '=', account).orderBy('id', 'desc'), page);

export const findMigration = (db: Db, account: Account, id: Migration): Promise<MigrationRow | undefined> =>
  db.selectFrom('migrations').selectAll().where('account_id', '=', account).where('id', '=', id).executeTakeFirst();

/** A migration by its id, for the holder of an archive's address. */
export const findMigrationById = (db: Db, id: Migration): Promise<MigrationRow | undefined> =>
  db.selectFrom('migrations').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the migration again and locks its row; undefined if it was deleted. */
export const findMigrationForUpdate = (tx: Tx, { id }: Pick<MigrationRow, 'id'>): Promise<MigrationRow | undefined> =>
  tx.selectFrom('migrations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const insertMigration = (tx: Tx, row: Insertable<DB['migrations']>): Promise<MigrationRow> =>
  tx.insertInto('migrations').values(row).returningAll().executeTakeFirstOrThrow();

export async function insertRepositories(tx: Tx, migration: Migration, ids: readonly Id<'repositories'>[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((id) => ({ migration_id: migration, repository_id: id }));
  await tx.insertInto('migration_repositories').values(rows).execute();
}

/** Takes away the repositories of a migration that its archive doesn't have. */
export const keepRepositories = (tx: Tx, migration: Migration, ids: readonly Id<'repositories'>[]) =>
  tx
    .deleteFrom('migration_repositories')
    .where('migration_id', '=', migration)
    .where(sql<boolean>`repository_id <> all (${[...ids]}::bigint[])`)
    .execute();

/** The number of an account's migrations that are in progress or have an archive. */
export async function countKept(db: Db, account: Account): Promise<number> {
  const { kept } = await db
    .selectFrom('migrations')
    .select(sql<number>`count(*)`.as('kept'))
    .where('account_id', '=', account)
    .where((eb) => eb.or([eb('state', 'in', ['pending', 'exporting']), eb('available_until', 'is not', null)]))
    .executeTakeFirstOrThrow();
  return kept;
}

/** The repositories of a migration that the viewer may read. */
export const listMigrationRepositories = (
  db: Db,
  viewer: Viewer,
  migration: Migration,
  page: Page,
): Promise<Listed<RepositoryRow>> => {
  const query = db
    .selectFrom('migration_repositories as m')
    .innerJoin('repositories as r', 'r.id', 'm.repository_id')
    .selectAll('r')
    .where('m.migration_id', '=', migration)
    .where(sql<boolean>`r.id in ${readableRepositoryIds(viewer)}`)
    .orderBy('r.id');
  return list(db, query, page);
};

/**
 * Whether a migration belongs to a person who no longer administers all of its repositories. The archive tells what the
 * administrators of each may know.
 */
export async function isLost(db: Db, migration: Migration): Promise<boolean> {
  const { rows } = await sql`
    select from migrations m join accounts a on a.id = m.account_id and a.kind <> 'organization'
    join migration_repositories mr on mr.migration_id = m.id
    where m.id = ${migration} and not ${administers(sql`a.id`, sql`mr.repository_id`)} limit 1`.execute(db);
  return rows.length > 0;
}

const administers = (account: RawBuilder<unknown>, repository: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from repository_roles role
    where role.repository_id = ${repository} and role.account_id = ${account} and role.level >= ${roleLevel('admin')})`;

type LostLock = { repository: RepositoryRow; migration: Migration };

/**
 * Repositories that are locked for a person who no longer administers them or was suspended, and who could keep their owners from
 * changing them for good. The rows of the repositories are locked.
 */
export async function listLostLocksForUpdate(tx: Tx, limit: number): Promise<LostLock[]> {
  const { rows } = await sql<RepositoryRow & { locked_by: Migration }>`
    select r.* from repositories r join migrations m on m.id = r.locked_by
    join accounts a on a.id = m.account_id and a.kind <> 'organization'
    where r.locked_by is not null and (a.suspended_at is not null or not ${administers(sql`a.id`, sql`r.id`)})
    order by r.id limit ${limit} for no key update of r`.execute(tx);
  return rows.map((repository) => ({ repository, migration: repository.locked_by }));
}

/** The first repositories of a migration, regardless of who may read them. */
export const loadRepositoriesOf = (db: Db, migration: Migration, most: number): Promise<RepositoryRow[]> =>
  db
    .selectFrom('migration_repositories as m')
    .innerJoin('repositories as r', 'r.id', 'm.repository_id')
    .selectAll('r')
    .where('m.migration_id', '=', migration)
    .orderBy('r.id')
    .limit(most)
    .execute();

/** The ids of the first repositories of each migration, in one statement. */
export async function loadRepositoryIds(
  db: Db,
  migrations: readonly Migration[],
  most: number,
): Promise<Map<Migration, Id<'repositories'>[]>> {
  if (migrations.length === 0) return new Map();
  const { rows } = await sql<{ id: Migration; repositories: Id<'repositories'>[] }>`
    select m.id, array(select r.repository_id from migration_repositories r where r.migration_id = m.id
      order by r.repository_id limit ${most}) as repositories
    from unnest(${[...migrations]}::bigint[]) as m (id)`.execute(db);
  return new Map([...keyed(rows, ({ id }) => id)].map(([id, row]) => [id, row.repositories]));
}

/** A repository that a migration has locked, by its name. If owners have repositories with the same name, by its full name. */
export const findLockedRepository = (db: Db, migration: Migration, name: string): Promise<RepositoryRow | undefined> =>
  db
    .selectFrom('migration_repositories as m')
    .innerJoin('repositories as r', 'r.id', 'm.repository_id')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .selectAll('r')
    .where('m.migration_id', '=', migration)
    .where('r.locked_by', '=', migration)
    .where(sql<boolean>`lower(${name}) in (lower(r.name), lower(o.login || '/' || r.name))`)
    .orderBy('r.id')
    .executeTakeFirst();

export const updateMigration = (tx: Tx, id: Migration, change: Updateable<DB['migrations']>): Promise<MigrationRow> =>
  tx.updateTable('migrations').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Starts or restarts the archive of a migration; undefined if it is finished or deleted. */
export const beginAttempt = (tx: Tx, id: Migration, now: Date): Promise<MigrationRow | undefined> =>
  tx
    .updateTable('migrations')
    .set((eb) => ({ state: 'exporting', attempts: eb('attempts', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'exporting'])
    .returningAll()
    .executeTakeFirst();

/** Ends an attempt; undefined if another one has been started in the meantime. */
export const endAttempt = (
  tx: Tx,
  { id, attempts }: Pick<MigrationRow, 'id' | 'attempts'>,
  change: Pick<Updateable<DB['migrations']>, 'state' | 'failure' | 'available_until' | 'updated_at'>,
): Promise<MigrationRow | undefined> =>
  tx
    .updateTable('migrations')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'exporting')
    .where('attempts', '=', attempts)
    .returningAll()
    .executeTakeFirst();

/** Marks archives whose time has expired as deleted. Returns the ids of their migrations, up to a limit. */
export async function expireArchives(tx: Tx, now: Date, most: number): Promise<Migration[]> {
  const { rows } = await sql<{ id: Migration }>`
    update migrations set available_until = null where id = any (array(
      select id from migrations where available_until <= ${now} order by available_until limit ${most} for update skip locked))
    returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The given migrations that need their files, because they are in progress or have an archive. */
export async function loadKept(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from migrations where id = any (${[...ids]}::bigint[])
      and (state in ('pending', 'exporting') or available_until is not null)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Unfinished migrations that were started before a time, up to a limit. */
export const listUnfinished = (db: Db, before: Date, most: number): Promise<Pick<MigrationRow, 'id' | 'account_id'>[]> =>
  db
    .selectFrom('migrations')
    .select(['id', 'account_id'])
    .where('state', 'in', ['pending', 'exporting'])
    .where('updated_at', '<', before)
    .orderBy('id')
    .limit(most)
    .execute();
