import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { mayUse, ofHolder, readsOf, type Visibility, visibilityOf } from '#resources/actions/actions-configuration/index.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { removeSelection } from '#resources/repositories/repository-selections/index.ts';

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
  'created_at',
  'updated_at',
] as const;

const secrets = (db: Db) =>
  db.selectFrom('actions_secrets').select(columns).select(visibilityOf('actions_secrets').as('visibility'));

export const {
  list: listSecrets,
  listUsable: listOrganizationSecrets,
  select: selectSecret,
  findForUpdate: findSecretForUpdate,
} = readsOf('actions_secrets', secrets);

/** The number of secrets of an owner, and the secret with this name. */
export async function countSecrets(
  tx: Tx,
  holder: Holder,
  name: string,
): Promise<{ total: number; same: SecretRow | undefined }> {
  const counted = tx.selectFrom('actions_secrets').select(sql<number>`count(*)`.as('total')).where(ofHolder(holder));
  const [{ total }, same] = await Promise.all([
    counted.executeTakeFirstOrThrow(),
    selectSecret(tx, holder, name).executeTakeFirst(),
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
export type JobSecret = Pick<Row, 'name' | 'value' | 'organization_id' | 'repository_id' | 'environment_id'>;

/**
 * The secrets for a job in a repository, each name once. Secrets of its environment take precedence over secrets of the
 * repository, and these over secrets of its organization that the repository may use. At most `most` are returned. An
 * environment of another repository is ignored.
 */
export async function listJobSecrets(
  db: Db,
  {
    repository,
    environment,
    most,
  }: { repository: Id<'repositories'>; environment: Id<'environments'> | undefined; most: number },
): Promise<JobSecret[]> {
  const { rows } = await sql<JobSecret>`
    select distinct on (name) name, value, organization_id, repository_id, environment_id from (
      select actions_secrets.*, 1 as place from actions_secrets where environment_id = (
        select e.id from environments e where e.id = ${environment ?? null} and e.repository_id = ${repository})
      union all
      select actions_secrets.*, 2 from actions_secrets where repository_id = ${repository}
      union all
      (select actions_secrets.*, 3 from actions_secrets
        where organization_id = (select r.owner_id from repositories r where r.id = ${repository})
          and ${mayUse('actions_secrets', repository)}
        order by name limit ${most})
    ) as available order by name, place`.execute(db);
  return rows;
}
