import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { reachedBy } from '#access/sql.ts';
import type { Grant, RepositoryRow } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { IdentityField } from './auth-types.ts';

/** The fields by which a registry recognizes a caller without a secret (OIDC). */
export type Identity = { [Field in IdentityField]?: string };
type Row = Omit<Selectable<DB['private_registries']>, 'identity'> & { identity: Identity };
/** A registry with the repositories that were selected for it. */
export type RegistryRow = Row & { repository_ids: number[] };

/** The selected repositories. One that was transferred doesn't count, even before the job has removed it. */
const repositoryIds = sql<number[]>`array(
  select s.repository_id from private_registry_repositories s join repositories r on r.id = s.repository_id
  where s.registry_id = private_registries.id and r.owner_id = private_registries.organization_id
  order by s.repository_id)`;

const registriesOf = (db: Db, organization: Id<'accounts'>): SelectQueryBuilder<DB, 'private_registries', Row> =>
  db
    .selectFrom('private_registries')
    .selectAll()
    .select(sql<Identity>`identity`.as('identity'))
    .where('organization_id', '=', organization);

const registries = (db: Db, organization: Id<'accounts'>): SelectQueryBuilder<DB, 'private_registries', RegistryRow> =>
  registriesOf(db, organization).select(repositoryIds.as('repository_ids'));

export const listRegistries = (db: Db, organization: Id<'accounts'>, page: Page): Promise<Listed<RegistryRow>> =>
  list(db, registries(db, organization).orderBy('id'), page);

export const findRegistry = (db: Db, organization: Id<'accounts'>, name: string): Promise<RegistryRow | undefined> =>
  registries(db, organization).where(sql<boolean>`upper(name) = upper(${name})`).executeTakeFirst();

/** The registries that a repository may use. */
export const listRegistriesFor = (
  db: Db,
  { id, owner_id, visibility }: Pick<RepositoryRow, 'id' | 'owner_id' | 'visibility'>,
): Promise<Row[]> =>
  registriesOf(db, owner_id)
    .where((eb) =>
      eb.or([
        eb('visibility', '=', 'all'),
        ...(visibility === 'public' ? [] : [eb('visibility', '=', 'private')]),
        eb.and([
          eb('visibility', '=', 'selected'),
          sql<boolean>`exists (select from private_registry_repositories s
            where s.registry_id = private_registries.id and s.repository_id = ${id})`,
        ]),
      ]),
    )
    .orderBy('id')
    .execute();

/** Lets one change of an organization's registries through at a time, so that two can't take the same name. */
export const lockRegistries = (tx: Tx, organization: Id<'accounts'>) =>
  tx.selectFrom('organizations').select('account_id').where('account_id', '=', organization).forNoKeyUpdate().execute();

/** The same registry again, which nobody else changes until the transaction ends; undefined when it was deleted. */
export async function findRegistryForUpdate(
  tx: Tx,
  { id, organization_id }: Pick<RegistryRow, 'id' | 'organization_id'>,
): Promise<RegistryRow | undefined> {
  await lockRegistries(tx, organization_id);
  return registries(tx, organization_id).where('id', '=', id).executeTakeFirst();
}

export const listNames = async (tx: Tx, organization: Id<'accounts'>): Promise<string[]> =>
  (await tx.selectFrom('private_registries').select('name').where('organization_id', '=', organization).execute()).map(
    ({ name }) => name,
  );

export const insertRegistry = async (tx: Tx, row: Insertable<DB['private_registries']>): Promise<Id<'private_registries'>> =>
  (await tx.insertInto('private_registries').values(row).returning('id').executeTakeFirstOrThrow()).id;

export const updateRegistry = (tx: Tx, id: Id<'private_registries'>, change: Updateable<DB['private_registries']>) =>
  tx.updateTable('private_registries').set(change).where('id', '=', id).execute();

export const removeRegistry = (tx: Tx, id: Id<'private_registries'>) =>
  tx.deleteFrom('private_registries').where('id', '=', id).execute();

/**
 * Of these repository ids, those that belong to the organization and that a fine-grained credential reaches. Classic tokens need
 * no more than `admin:org` (document 2): to select a repository shows nothing of it.
 */
export const keepRepositories = async (
  tx: Tx,
  organization: Id<'accounts'>,
  ids: readonly number[],
  grant: Grant,
): Promise<Id<'repositories'>[]> => {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('repositories as r')
    .select('r.id')
    .where('r.owner_id', '=', organization)
    .where(sql<boolean>`r.id = any (${[...ids]}::bigint[])`)
    .where('scopes' in grant ? sql<boolean>`true` : sql<boolean>`(r.visibility = 'public' or ${reachedBy(grant)})`)
    .execute();
  return rows.map(({ id }) => id);
};

/** Replaces the selected repositories of a registry. */
export async function putRepositories(tx: Tx, registry: Id<'private_registries'>, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('private_registry_repositories')
    .where('registry_id', '=', registry)
    .where(sql<boolean>`repository_id <> all (${[...ids]}::bigint[])`)
    .execute();
  await sql`insert into private_registry_repositories (registry_id, repository_id)
    select ${registry}, id from unnest(${[...ids]}::bigint[]) as id on conflict do nothing`.execute(tx);
}

/** Removes a repository from the selections of all organizations but its owner. */
export const removeForeign = (tx: Tx, repository: Id<'repositories'>) =>
  sql`delete from private_registry_repositories s using private_registries p, repositories r
    where s.repository_id = ${repository} and p.id = s.registry_id and r.id = s.repository_id
      and r.owner_id <> p.organization_id`.execute(tx);
