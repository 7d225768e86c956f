import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import {
  removeSelection,
  selectedIds,
  selectionIncludes,
  selectionMode,
} from '#resources/repositories/repository-selections/index.ts';
import type { IdentityField } from './auth-types.ts';
import type { RegistryVisibility } from './schemas.ts';

/** The fields that identify a caller to a registry without a secret (OIDC). */
export type Identity = { [Field in IdentityField]?: string };
export type Row = Omit<Selectable<DB['private_registries']>, 'identity'> & { identity: Identity };
/** A registry with the repositories that may use it. */
export type RegistryRow = Row & { visibility: RegistryVisibility; repository_ids: number[] };

const selection = sql.ref('private_registries.selection_id');

const registriesOf = (db: Db, organization: Id<'accounts'>): SelectQueryBuilder<DB, 'private_registries', Row> =>
  db
    .selectFrom('private_registries')
    .selectAll()
    .select(sql<Identity>`identity`.as('identity'))
    .where('organization_id', '=', organization);

const registries = (db: Db, organization: Id<'accounts'>): SelectQueryBuilder<DB, 'private_registries', RegistryRow> =>
  registriesOf(db, organization).select([
    sql<RegistryVisibility>`${selectionMode(selection)}`.as('visibility'),
    selectedIds(selection).as('repository_ids'),
  ]);

export const listRegistries = (db: Db, organization: Id<'accounts'>, page: Page): Promise<Listed<RegistryRow>> =>
  list(db, registries(db, organization).orderBy('id'), page);

export const findRegistry = (db: Db, organization: Id<'accounts'>, name: string): Promise<RegistryRow | undefined> =>
  registries(db, organization).where(sql<boolean>`upper(name) = upper(${name})`).executeTakeFirst();

/** The registries that a repository may use. `names`: only those with one of these names in upper case. */
export function listRegistriesFor(
  db: Db,
  { id, owner_id }: Pick<RepositoryRow, 'id' | 'owner_id'>,
  names?: readonly string[],
): Promise<Row[]> {
  const query = registriesOf(db, owner_id).where(selectionIncludes(selection, id)).orderBy('id');
  return (names ? query.where(sql<boolean>`upper(name) = any (${[...names]}::text[])`) : query).execute();
}

/** Whether an organization allows workflows to use its registries. It doesn't by default, and neither does a user. */
export async function allowsWorkflows(db: Db, organization: Id<'accounts'>): Promise<boolean> {
  const row = await db
    .selectFrom('private_registry_settings')
    .select('allowed_in_workflows')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return row?.allowed_in_workflows ?? false;
}

export const setAllowsWorkflows = (tx: Tx, organization_id: Id<'accounts'>, allowed_in_workflows: boolean) =>
  tx
    .insertInto('private_registry_settings')
    .values({ organization_id, allowed_in_workflows })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ allowed_in_workflows }))
    .execute();

/** Reads the registry again, and locks it against changes until the transaction ends; undefined if it was deleted. */
export async function findRegistryForUpdate(
  tx: Tx,
  { id, organization_id }: Pick<RegistryRow, 'id' | 'organization_id'>,
): Promise<RegistryRow | undefined> {
  await lockOrganization(tx, organization_id);
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

/** Removes a registry with its selection of repositories. */
export async function removeRegistry(tx: Tx, { id, selection_id }: Pick<RegistryRow, 'id' | 'selection_id'>): Promise<void> {
  await tx.deleteFrom('private_registries').where('id', '=', id).execute();
  await removeSelection(tx, selection_id);
}
