import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { isCovered, isNotHidden } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listWalked, orderById } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';
import type { SecurityChange } from '#resources/repositories/repositories/index.ts';
import type { Attachment } from './schemas.ts';
import type { Settings } from './settings.ts';

type Stored = Selectable<DB['security_configurations']>;
export type ConfigurationRow = Omit<Stored, 'settings' | 'switches'> & { settings: Settings; switches: SecurityChange };
export type AttachedRow = Selectable<DB['security_configuration_repositories']>;
export type Status = AttachedRow['status'];

// `rules.ts` or the migration wrote the columns.
const configurations = (db: Db) => db.selectFrom('security_configurations as c').selectAll().$castTo<ConfigurationRow>();

const availableTo = (organization: OrSql<Id<'accounts'>>) =>
  sql<boolean>`(c.organization_id = ${organization} or c.organization_id is null)`;

/** A configuration that an organization may attach: its own, or the server's. */
export const selectConfiguration = (db: Db, organization: OrSql<Id<'accounts'>>, id: Id<'security_configurations'>) =>
  configurations(db).where('c.id', '=', id).where(availableTo(organization));

/** Reads the configuration again and locks its row until the transaction ends. */
export const findConfigurationForUpdate = (tx: Tx, { id }: Pick<ConfigurationRow, 'id'>): Promise<ConfigurationRow | undefined> =>
  configurations(tx).where('c.id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const findConfiguration = (db: Db, id: Id<'security_configurations'>): Promise<ConfigurationRow | undefined> =>
  configurations(db).where('c.id', '=', id).executeTakeFirst();

export const listConfigurations = (
  db: Db,
  { organization, isGlobal }: { organization: Id<'accounts'>; isGlobal: boolean },
  page: Page,
): Promise<Walked<ConfigurationRow>> =>
  listWalked(
    db,
    configurations(db).where(isGlobal ? sql<boolean>`c.organization_id is null` : availableTo(organization)),
    orderById('c', 'asc'),
    page,
  );

export const countConfigurations = async (
  db: Db,
  organization: Id<'accounts'>,
  name: string,
): Promise<{ total: number; same: Id<'security_configurations'> | null }> => {
  const { rows } = await sql<{ total: number; same: Id<'security_configurations'> | null }>`
    select count(*)::integer as total, max(id) filter (where lower(name) = lower(${name})) as same
    from security_configurations where organization_id = ${organization}`.execute(db);
  return rows[0] ?? { total: 0, same: null };
};

type NewRow = Omit<Insertable<DB['security_configurations']>, 'settings' | 'switches'> & {
  settings: Settings;
  switches: SecurityChange;
};

const asJson = <Row extends { settings?: Settings; switches?: SecurityChange }>({ settings, switches, ...row }: Row) => ({
  ...row,
  ...(settings === undefined ? {} : { settings: JSON.stringify(settings) }),
  ...(switches === undefined ? {} : { switches: JSON.stringify(switches) }),
});

export const insertConfiguration = (tx: Tx, row: NewRow): Promise<ConfigurationRow> =>
  tx
    .insertInto('security_configurations')
    .values(asJson(row) as Insertable<DB['security_configurations']>) // the two JSON columns are set
    .returningAll()
    .$castTo<ConfigurationRow>()
    .executeTakeFirstOrThrow();

type Change = Omit<Updateable<DB['security_configurations']>, 'settings' | 'switches'> &
  Partial<Pick<NewRow, 'settings' | 'switches'>>;

export const updateConfiguration = (tx: Tx, id: Id<'security_configurations'>, change: Change): Promise<ConfigurationRow> =>
  tx
    .updateTable('security_configurations')
    .set(asJson(change))
    .where('id', '=', id)
    .returningAll()
    .$castTo<ConfigurationRow>()
    .executeTakeFirstOrThrow();

/** Removes a configuration and its attachments to repositories, which keep their switches. */
export const removeConfiguration = (tx: Tx, id: Id<'security_configurations'>) =>
  tx.deleteFrom('security_configurations').where('id', '=', id).execute();

type Default = Selectable<DB['security_configuration_defaults']>;
type DefaultRow = ConfigurationRow & { visibility: Default['visibility'] };

/** The configurations for new repositories. */
export const listDefaults = (db: Db, organization: Id<'accounts'>): Promise<DefaultRow[]> =>
  db
    .selectFrom('security_configuration_defaults as d')
    .innerJoin('security_configurations as c', 'c.id', 'd.configuration_id')
    .selectAll('c')
    .select('d.visibility')
    .where('d.organization_id', '=', organization)
    .orderBy('d.visibility', 'desc')
    .$castTo<DefaultRow>()
    .execute();

export const putDefaults = (tx: Tx, rows: readonly Default[]) =>
  tx
    .insertInto('security_configuration_defaults')
    .values(rows)
    .onConflict((clash) =>
      clash.columns(['organization_id', 'visibility']).doUpdateSet({ configuration_id: sql`excluded.configuration_id` }),
    )
    .execute();

export const removeDefaults = (tx: Tx, organization: Id<'accounts'>, configuration: Id<'security_configurations'>) =>
  tx
    .deleteFrom('security_configuration_defaults')
    .where('organization_id', '=', organization)
    .where('configuration_id', '=', configuration)
    .execute();

type Attaching = {
  readonly organization: Id<'accounts'>;
  readonly configuration: Id<'security_configurations'>;
  readonly actor: Id<'accounts'> | undefined;
};

/** Attaches a configuration to repositories of an organization, and marks them as waiting for it. Returns their number. */
export async function putAttachments(
  tx: Tx,
  { organization, configuration, actor }: Attaching,
  { scope, selected_repository_ids }: Attachment,
): Promise<number> {
  const chosen = {
    all: sql`true`,
    all_without_configurations: sql`not exists (select from security_configuration_repositories a
      where a.repository_id = r.id and a.status not in ('removed', 'detached'))`,
    public: sql`r.visibility = 'public'`,
    private_or_internal: sql`r.visibility <> 'public'`,
    selected: sql`r.id = any (${selected_repository_ids ?? []}::bigint[])`,
  }[scope];
  const { rows } = await sql<{ total: number }>`
    with put as (
      insert into security_configuration_repositories as a (repository_id, configuration_id, organization_id, status, actor_id)
      select r.id, ${configuration}, ${organization}, 'attaching', ${actor ?? null}
      from repositories r where r.owner_id = ${organization} and ${chosen} order by r.id
      on conflict (repository_id) do update set configuration_id = excluded.configuration_id,
        organization_id = excluded.organization_id, status = 'attaching', problem = null, actor_id = excluded.actor_id
      returning 1
    ) select count(*)::integer as total from put`.execute(tx);
  return rows[0]?.total ?? 0;
}

/** The number of the given repositories that belong to an organization, without private forks that the viewer doesn't see. */
export const countOwned = async (
  db: Db,
  { organization, viewer }: { organization: Id<'accounts'>; viewer: Viewer },
  ids: readonly Id<'repositories'>[],
): Promise<number> => {
  const { rows } = await sql<{ total: number }>`select count(*)::integer as total from repositories r
    where r.owner_id = ${organization} and r.id = any (${[...ids]}::bigint[]) and ${isNotHidden(viewer)}`.execute(db);
  return rows[0]?.total ?? 0;
};

/** Detaches repositories of an organization from their configuration. */
export const detach = (tx: Tx, organization: Id<'accounts'>, ids: readonly Id<'repositories'>[]) =>
  tx
    .updateTable('security_configuration_repositories')
    .set({ status: 'detached', problem: null })
    .where('organization_id', '=', organization)
    .where('repository_id', 'in', ids)
    .execute();

/** Marks all repositories of a changed configuration as waiting for its new settings. */
export const awaitUpdate = (tx: Tx, configuration: Id<'security_configurations'>, actor: Id<'accounts'> | undefined) =>
  tx
    .updateTable('security_configuration_repositories')
    .set({ status: 'updating', problem: null, actor_id: actor ?? null })
    .where('configuration_id', '=', configuration)
    .where('status', 'in', ['attached', 'enforced', 'failed'])
    .execute();

/** The next repositories that wait for a configuration. */
export const listWaiting = (
  db: Db,
  configuration: Id<'security_configurations'>,
  { after, limit }: { after: Id<'repositories'>; limit: number },
): Promise<AttachedRow[]> =>
  db
    .selectFrom('security_configuration_repositories')
    .selectAll()
    .where('configuration_id', '=', configuration)
    .where('status', 'in', ['attaching', 'updating'])
    .where('repository_id', '>', after)
    .orderBy('repository_id')
    .limit(limit)
    .execute();

/** Reads the row of a repository and locks it until the transaction ends. */
export const findAttachedForUpdate = (tx: Tx, repository: Id<'repositories'>): Promise<AttachedRow | undefined> =>
  tx
    .selectFrom('security_configuration_repositories')
    .selectAll()
    .where('repository_id', '=', repository)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updateAttached = (tx: Tx, repository: Id<'repositories'>, change: { status: Status; problem: string | null }) =>
  tx.updateTable('security_configuration_repositories').set(change).where('repository_id', '=', repository).execute();

/** Removes the configuration of a repository that was moved to another owner. */
export const removeForeign = (tx: Tx, repository: Id<'repositories'>) =>
  sql`delete from security_configuration_repositories a using repositories r
    where a.repository_id = ${repository} and r.id = a.repository_id and r.owner_id <> a.organization_id`.execute(tx);

/** The repositories of an organization with a configuration, as far as the viewer may know of them. */
export const listAttached = (
  db: Db,
  of: { organization: Id<'accounts'>; configuration: Id<'security_configurations'>; viewer: Viewer },
  statuses: readonly Status[] | undefined,
  page: Page,
): Promise<Walked<AttachedRow>> => {
  let query = db
    .selectFrom('security_configuration_repositories as a')
    .innerJoin('repositories as r', 'r.id', 'a.repository_id')
    .selectAll('a')
    .where('a.configuration_id', '=', of.configuration)
    .where('a.organization_id', '=', of.organization)
    .where(isCovered({ owner: of.organization, viewer: of.viewer }));
  if (statuses !== undefined) query = query.where('a.status', 'in', statuses);
  return listWalked(db, query, { id: 'a.repository_id', idOf: (row) => row.repository_id, direction: 'asc' }, page);
};

/** A configuration, and how far a repository is with it; with the reason, if it can't have it. */
type OfRepository = ConfigurationRow & { status: Status; problem: string | null };

/** The configuration of a repository, and its progress. */
export const findOfRepository = (db: Db, repository: Id<'repositories'>): Promise<OfRepository | undefined> =>
  db
    .selectFrom('security_configuration_repositories as a')
    .innerJoin('security_configurations as c', 'c.id', 'a.configuration_id')
    .selectAll('c')
    .select(['a.status', 'a.problem'])
    .where('a.repository_id', '=', repository)
    .where('a.status', '<>', 'detached')
    .$castTo<OfRepository>()
    .executeTakeFirst();

type EnablementRow = Selectable<DB['security_enablements']>;

/** Records that a product is being enabled or disabled; false if that is already in progress, unless it began before `stale`. */
export async function putEnablement(tx: Tx, row: EnablementRow, stale: Date): Promise<boolean> {
  const put = await tx
    .insertInto('security_enablements')
    .values(row)
    .onConflict((clash) =>
      clash
        .columns(['organization_id', 'product'])
        .doUpdateSet({ is_on: row.is_on, actor_id: row.actor_id, started_at: row.started_at })
        .where('security_enablements.started_at', '<', stale),
    )
    .returning('product')
    .executeTakeFirst();
  return put !== undefined;
}

export const findEnablement = (
  db: Db,
  { organization_id, product }: Pick<EnablementRow, 'organization_id' | 'product'>,
): Promise<EnablementRow | undefined> =>
  db
    .selectFrom('security_enablements')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('product', '=', product)
    .executeTakeFirst();

export const removeEnablement = (tx: Tx, { organization_id, product }: Pick<EnablementRow, 'organization_id' | 'product'>) =>
  tx.deleteFrom('security_enablements').where('organization_id', '=', organization_id).where('product', '=', product).execute();

/** The next repositories of an organization, ordered by id. */
export const listRepositoriesOf = async (
  db: Db,
  organization: Id<'accounts'>,
  { after, limit }: { after: Id<'repositories'>; limit: number },
): Promise<Id<'repositories'>[]> =>
  (
    await db
      .selectFrom('repositories')
      .select('id')
      .where('owner_id', '=', organization)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
  ).map(({ id }) => id);
