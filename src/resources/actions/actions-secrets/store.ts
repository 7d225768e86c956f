import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { mayUse, ofHolder, readsOf, type Visibility, visibilityOf } from '#resources/actions/actions-configuration/index.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { removeSelection } from '#resources/repositories/repository-selections/index.ts';
import type { SecretStore } from './secret-store.ts';

type Row = Selectable<DB['actions_secrets']>;
/** A secret without its value. `visibility` is null unless it belongs to an organization. */
export type SecretRow = Omit<Row, 'value'> & { visibility: Visibility | null };

const columns = [
  'id',
  'organization_id',
  'repository_id',
  'environment_id',
  'selection_id',
  'name',
  'store',
  'created_at',
  'updated_at',
] as const;

type Name = SecretStore['name'];

const secrets = (db: Db, store: Name) =>
  db
    .selectFrom('actions_secrets')
    .select(columns)
    .select(visibilityOf('actions_secrets').as('visibility'))
    .where('store', '=', store);

const readsOfStore = (store: Name) => readsOf('actions_secrets', (db) => secrets(db, store));
const reads = { actions: readsOfStore('actions'), dependency_bot: readsOfStore('dependency_bot') };

/** The statements that read the secrets of a store. */
export const secretReads = (store: Name) => reads[store];

/** The number of secrets that an owner has in a store, and the secret with this name. */
export async function countSecrets(
  tx: Tx,
  store: Name,
  holder: Holder,
  name: string,
): Promise<{ total: number; same: SecretRow | undefined }> {
  const counted = tx
    .selectFrom('actions_secrets')
    .select(sql<number>`count(*)`.as('total'))
    .where('store', '=', store)
    .where(ofHolder(holder));
  const [{ total }, same] = await Promise.all([
    counted.executeTakeFirstOrThrow(),
    secretReads(store).select(tx, holder, name).executeTakeFirst(),
  ]);
  return { total, same };
}

export const insertSecret = (tx: Tx, row: Insertable<DB['actions_secrets']>): Promise<Pick<Row, 'id'>> =>
  tx.insertInto('actions_secrets').values(row).returning('id').executeTakeFirstOrThrow();

export const updateSecret = (tx: Tx, id: Row['id'], change: Updateable<DB['actions_secrets']>) =>
  tx.updateTable('actions_secrets').set(change).where('id', '=', id).execute();

/** Removes a secret with its selection of repositories. */
export async function removeSecret(tx: Tx, { id, selection_id }: Pick<Row, 'id' | 'selection_id'>): Promise<void> {
  await tx.deleteFrom('actions_secrets').where('id', '=', id).execute();
  if (selection_id !== null) await removeSelection(tx, selection_id);
}

/** A secret for a job, with its sealed value. */
export type JobSecret = Pick<Row, 'name' | 'store' | 'value' | 'organization_id' | 'repository_id' | 'environment_id'>;

type JobSecrets = {
  store: Name;
  repository: Id<'repositories'>;
  environment?: Id<'environments'> | undefined;
  /** How many secrets of the organization. */
  most: number;
};

/**
 * The secrets of a store for a job in a repository, each name once. Secrets of its environment take precedence over secrets of
 * the repository, and these over secrets of its organization that the repository may use. An environment of another repository
 * is ignored.
 */
export async function listJobSecrets(db: Db, { store, repository, environment, most }: JobSecrets): Promise<JobSecret[]> {
  const { rows } = await sql<JobSecret>`
    select distinct on (name) name, store, value, organization_id, repository_id, environment_id from (
      select actions_secrets.*, 1 as place from actions_secrets where store = ${store} and environment_id = (
        select e.id from environments e where e.id = ${environment ?? null} and e.repository_id = ${repository})
      union all
      select actions_secrets.*, 2 from actions_secrets where store = ${store} and repository_id = ${repository}
      union all
      (select actions_secrets.*, 3 from actions_secrets
        where organization_id = (select r.owner_id from repositories r where r.id = ${repository})
          and store = ${store} and ${mayUse('actions_secrets', repository)}
        order by name limit ${most})
    ) as available order by name, place`.execute(db);
  return rows;
}
