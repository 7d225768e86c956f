import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { levels } from '#access/permissions.ts';
import { reachedBy } from '#access/sql.ts';
import type { Account, RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import { removeSome } from '#database/remove-some.ts';
import type { DB } from '#database/tables.ts';
import { gather, getOrThrow, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';

export type AppRow = Selectable<DB['apps']>;
export type InstallationRow = Selectable<DB['installations']>;
/** An installation with the columns of its app that replies show. */
export type InstallationOfApp = InstallationRow & { app_slug: string; client_id: string };

type App = Id<'apps'>;
type Installation = Id<'installations'>;

export const insertApp = (tx: Tx, row: Insertable<DB['apps']>): Promise<AppRow> =>
  tx.insertInto('apps').values(row).returningAll().executeTakeFirstOrThrow();

export const insertAppKey = (tx: Tx, row: Insertable<DB['app_keys']>) => tx.insertInto('app_keys').values(row).execute();

/** An app with its owner. */
export type LoadedApp = AppRow & { owner: Account };

/** Apps with their owners, by their ids, for a whole page. */
export async function loadApps(db: Db, ids: Iterable<App | null>): Promise<Map<App, LoadedApp>> {
  const wanted = unique(ids);
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom('apps').selectAll().where('id', 'in', wanted).execute();
  const owners = await loadAccounts(db, gather(rows, 'owner_id'));
  return new Map(rows.map((row) => [row.id, { ...row, owner: getOrThrow(owners, row.owner_id) }]));
}

/** An app that is part of the server; undefined before its first use. */
export const findBuiltInApp = (db: Db, name: NonNullable<AppRow['built_in']>): Promise<AppRow | undefined> =>
  db.selectFrom('apps').selectAll().where('built_in', '=', name).executeTakeFirst();

/** Some apps that are part of the server, by their names, in one statement. Those that weren't used yet are missing. */
export async function loadBuiltInApps<Name extends NonNullable<AppRow['built_in']>>(
  db: Db,
  names: readonly Name[],
): Promise<{ readonly [Found in Name]?: AppRow }> {
  const rows = await db.selectFrom('apps').selectAll().where('built_in', 'in', names).execute();
  return Object.fromEntries(rows.map((row) => [row.built_in, row])) as { [Found in Name]?: AppRow };
}

/** Locks the creation of an app that is part of the server, so that concurrent first uses create one. */
export const lockBuiltInApp = async (tx: Tx, name: NonNullable<AppRow['built_in']>): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`built-in app ${name}`}, 0))`.execute(tx);
};

export const findAppById = (db: Db, id: App): Promise<AppRow | undefined> =>
  db.selectFrom('apps').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the app again and locks its row. */
export const findAppByIdForUpdate = (tx: Tx, id: App): Promise<AppRow | undefined> =>
  tx.selectFrom('apps').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const updateApp = (tx: Tx, id: App, change: Updateable<DB['apps']>): Promise<AppRow> =>
  tx.updateTable('apps').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const updateInstallation = (tx: Tx, id: Installation, change: Updateable<DB['installations']>) =>
  tx.updateTable('installations').set(change).where('id', '=', id).execute();

export const findAppBySlug = (db: Db, slug: string): Promise<AppRow | undefined> =>
  db.selectFrom('apps').selectAll().where(sql<boolean>`lower(slug) = lower(${slug})`).executeTakeFirst();

export async function countInstallations(db: Db, app: App): Promise<number> {
  const { count } = await db
    .selectFrom('installations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('app_id', '=', app)
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds an installation; undefined if the app is already installed there. */
export const insertInstallation = (tx: Tx, row: Insertable<DB['installations']>): Promise<InstallationRow | undefined> =>
  tx
    .insertInto('installations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['app_id', 'account_id']).doNothing())
    .returningAll()
    .executeTakeFirst();

const withApp = (db: Db) =>
  db
    .selectFrom('installations')
    .innerJoin('apps', 'apps.id', 'installations.app_id')
    .selectAll('installations')
    .select(['apps.slug as app_slug', 'apps.client_id']);

/** The installations of an app. `outdated`: only installations with fewer permissions than the app requests. */
export const listInstallationsOfApp = (
  db: Db,
  app: App,
  { since, outdated, page }: { since: Date | undefined; outdated: boolean; page: Page },
): Promise<Listed<InstallationOfApp>> => {
  let query = withApp(db).where('installations.app_id', '=', app);
  if (since) query = query.where('installations.updated_at', '>=', since);
  if (outdated) query = query.where(isOutdated);
  return list(db, query.orderBy('installations.id'), page);
};

/** An installation of this app. Undefined for an installation of another app. */
export const findInstallation = (db: Db, app: App, id: Installation): Promise<InstallationOfApp | undefined> =>
  withApp(db).where('installations.app_id', '=', app).where('installations.id', '=', id).executeTakeFirst();

/** Reads the installation again and locks its row; undefined if it was deleted. */
export const findInstallationForUpdate = (tx: Tx, { id }: Pick<InstallationRow, 'id'>): Promise<InstallationOfApp | undefined> =>
  withApp(tx).where('installations.id', '=', id).forNoKeyUpdate('installations').executeTakeFirst();

/** An installation of any app, for webhook payloads. */
export const findInstallationById = (db: Db, id: Installation): Promise<InstallationOfApp | undefined> =>
  withApp(db).where('installations.id', '=', id).executeTakeFirst();

export const findInstallationOn = (db: Db, app: App, account: Id<'accounts'>): Promise<InstallationOfApp | undefined> =>
  withApp(db).where('installations.app_id', '=', app).where('installations.account_id', '=', account).executeTakeFirst();

/** All installations on an account, at most one for each app. */
export const loadInstallationsOn = (db: Db, account: Id<'accounts'>): Promise<InstallationOfApp[]> =>
  withApp(db)
    .where('installations.account_id', '=', account)
    .where('apps.built_in', 'is', null)
    .orderBy('installations.id')
    .execute();
/** The given apps that are installed on an account. */
export async function listInstalledApps(db: Db, account: Id<'accounts'>, apps: readonly number[]): Promise<App[]> {
  const query = db.selectFrom('installations').select('app_id').where('account_id', '=', account);
  return gather(
    await query
      .where(sql<boolean>`app_id = any (${[...apps]}::bigint[])`)
      .orderBy('app_id')
      .execute(),
    'app_id',
  );
}

export const listInstallationsOn = (db: Db, account: Id<'accounts'>, page: Page): Promise<Listed<InstallationOfApp>> =>
  list(db, withApp(db).where('installations.account_id', '=', account).orderBy('installations.id'), page);

/** The installations that include a repository. */
export const listInstallationsIn = (
  db: Db,
  { id, owner_id }: { id: Id<'repositories'>; owner_id: Id<'accounts'> },
  page: Page,
): Promise<Listed<InstallationOfApp>> =>
  list(
    db,
    withApp(db)
      .where('installations.account_id', '=', owner_id)
      .where(
        sql<boolean>`(installations.repository_selection = 'all' or exists (select from installation_repositories ir
          where ir.installation_id = installations.id and ir.repository_id = ${id}))`,
      )
      .orderBy('installations.id'),
    page,
  );

/**
 * The installations of an app that a user has access to: on their own account, on their organizations, and installations with a
 * repository that they may read.
 */
export const listInstallationsFor = (db: Db, app: App, user: Id<'accounts'>, page: Page): Promise<Listed<InstallationOfApp>> =>
  list(
    db,
    withApp(db)
      .where('installations.app_id', '=', app)
      .where('installations.suspended_at', 'is', null)
      .where(
        sql<boolean>`(installations.account_id = ${user}
          or exists (select from memberships m where m.organization_id = installations.account_id and m.user_id = ${user})
          or exists (select from collaborators c join repositories r on r.id = c.repository_id
            where r.owner_id = installations.account_id and c.user_id = ${user}))`,
      )
      .orderBy('installations.id'),
    page,
  );

/** Whether an installation includes a repository of its account. */
export async function reachesRepository(
  db: Db,
  { id, repository_selection }: InstallationRow,
  repository: Id<'repositories'>,
): Promise<boolean> {
  if (repository_selection === 'all') return true;
  const found = await db
    .selectFrom('installation_repositories')
    .select('repository_id')
    .where('installation_id', '=', id)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  return found !== undefined;
}

/** The repositories that an installation includes. */
function ofInstallation(db: Db, { id, account_id, repository_selection }: InstallationRow) {
  const owned = db.selectFrom('repositories').selectAll('repositories').where('owner_id', '=', account_id);
  if (repository_selection === 'all') return owned;
  return owned.where(
    sql<boolean>`exists (select from installation_repositories ir
      where ir.installation_id = ${id} and ir.repository_id = repositories.id)`,
  );
}

/** The repositories of an installation with these names or ids. */
export function listReached(
  db: Db,
  installation: InstallationRow,
  wanted: { names: readonly string[]; ids: readonly number[] },
): Promise<RepositoryRow[]> {
  const names = wanted.names.map((name) => name.toLowerCase());
  return ofInstallation(db, installation)
    .where(sql<boolean>`(lower(name) = any (${names}::text[]) or id = any (${[...wanted.ids]}::bigint[]))`)
    .execute();
}

/** The first repositories of an installation, by id. */
export const listFirstReached = (db: Db, installation: InstallationRow, limit: number): Promise<RepositoryRow[]> =>
  ofInstallation(db, installation).orderBy('id').limit(limit).execute();

/** A page of the repositories that an installation token reaches. */
export const listReachedBy = (db: Db, { grant }: Viewer, page: Page): Promise<Listed<RepositoryRow>> =>
  list(db, db.selectFrom('repositories as r').selectAll('r').where(reachedBy(grant)).orderBy('r.id') as never, page);

/** Suspends or resumes an installation. Returns whether that changed it. */
export async function setSuspended(
  tx: Tx,
  id: Installation,
  { since, by, now }: { since: Date | null; by: Id<'accounts'> | null; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('installations')
    .set({ suspended_at: since, suspended_by: by, updated_at: now })
    .where('id', '=', id)
    .where('suspended_at', since === null ? 'is not' : 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const removeInstallation = (tx: Tx, id: Installation) => tx.deleteFrom('installations').where('id', '=', id).execute();

/** The rank of a level, in SQL. A higher level includes the lower ones. */
const rankOf = (level: RawBuilder<unknown>) => sql<number>`array_position(${[...levels]}::text[], ${level})`;

/** Removes permissions, levels and events from the installations of an app that the app doesn't request. */
export async function narrowInstallations(tx: Tx, { id, permissions, events }: AppRow, now: Date): Promise<void> {
  await sql`
    update installations i set permissions = n.permissions, events = n.events, updated_at = ${now}
    from (
      select o.id,
        (select coalesce(jsonb_object_agg(held.key, case when ${rankOf(sql`held.value`)} <= ${rankOf(sql`asked.value`)}
            then held.value else asked.value end), '{}')
          from jsonb_each_text(o.permissions) held
          join jsonb_each_text(${JSON.stringify(permissions)}::jsonb) asked using (key)) as permissions,
        array(select name from unnest(o.events) with ordinality as e (name, place)
          where name = any (${events}::text[]) order by place) as events
      from installations o where o.app_id = ${id}
    ) n
    where n.id = i.id and (n.permissions <> i.permissions or n.events <> i.events)`.execute(tx);
}

/** Whether the app of an installation requests more than the installation has: a permission, a level or an event. */
const isOutdated = sql<boolean>`(not apps.events <@ installations.events
  or exists (select from jsonb_each_text(apps.permissions) asked
    where coalesce(${rankOf(sql`installations.permissions ->> asked.key`)}, 0) < ${rankOf(sql`asked.value`)}))`;

/** The installations on an account whose apps request more than they have. */
export const listOutdatedOn = (db: Db, account: Id<'accounts'>, page: Page): Promise<Listed<InstallationOfApp>> =>
  list(
    db,
    withApp(db)
      .where('installations.account_id', '=', account)
      .where('apps.built_in', 'is', null)
      .where(isOutdated)
      .orderBy('installations.id'),
    page,
  );

export type ManifestCodeRow = Selectable<DB['app_manifest_codes']>;

/** A code that hasn't expired. */
export const findManifestCode = (db: Db, hash: Buffer, now: Date): Promise<ManifestCodeRow | undefined> =>
  db.selectFrom('app_manifest_codes').selectAll().where('hash', '=', hash).where('expires_at', '>', now).executeTakeFirst();

/** Reads the code again and locks its row; undefined if it was exchanged. */
export const findManifestCodeForUpdate = (
  tx: Tx,
  { hash }: Pick<ManifestCodeRow, 'hash'>,
): Promise<ManifestCodeRow | undefined> =>
  tx.selectFrom('app_manifest_codes').selectAll().where('hash', '=', hash).forUpdate().executeTakeFirst();

export const removeManifestCode = (tx: Tx, { hash }: Pick<ManifestCodeRow, 'hash'>) =>
  tx.deleteFrom('app_manifest_codes').where('hash', '=', hash).execute();

/** Removes some of the codes that expired before a time. Returns whether there may be more. */
export const removeExpiredManifestCodes = (tx: Tx, before: Date): Promise<boolean> =>
  removeSome(tx, 'app_manifest_codes', sql`expires_at < ${before}`);

export const insertManifestCode = (tx: Tx, row: Insertable<DB['app_manifest_codes']>) =>
  tx.insertInto('app_manifest_codes').values(row).execute();

/** A user's token that was issued to this app, by its hash. */
export const findTokenOfApp = (db: Db, app: App, hash: Buffer) =>
  db.selectFrom('tokens').selectAll().where('app_id', '=', app).where('hash', '=', hash).executeTakeFirst();
