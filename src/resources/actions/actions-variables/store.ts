import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { mayUse, ofHolder, readsOf, type Visibility, visibilityOf } from '#resources/actions/actions-configuration/index.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { removeSelection } from '#resources/repositories/repository-selections/index.ts';

type Row = Selectable<DB['actions_variables']>;
/** A variable. `visibility` is null unless it belongs to an organization. */
export type VariableRow = Row & { visibility: Visibility | null };

const variables = (db: Db) =>
  db.selectFrom('actions_variables').selectAll().select(visibilityOf('actions_variables').as('visibility'));

export const {
  list: listVariables,
  listUsable: listOrganizationVariables,
  select: selectVariable,
  findForUpdate: findVariableForUpdate,
} = readsOf('actions_variables', variables);

/** The number of variables of an owner, and whether one of them has this name. */
export const countVariables = (tx: Tx, holder: Holder, name: string): Promise<{ total: number; clash: boolean }> =>
  tx
    .selectFrom('actions_variables')
    .select([sql<number>`count(*)`.as('total'), sql<boolean>`coalesce(bool_or(name = ${name}), false)`.as('clash')])
    .where(ofHolder(holder))
    .executeTakeFirstOrThrow();

export const insertVariable = (tx: Tx, row: Insertable<DB['actions_variables']>): Promise<Pick<Row, 'id'>> =>
  tx.insertInto('actions_variables').values(row).returning('id').executeTakeFirstOrThrow();

export const updateVariable = (tx: Tx, id: Row['id'], change: Updateable<DB['actions_variables']>) =>
  tx.updateTable('actions_variables').set(change).where('id', '=', id).execute();

/** Removes a variable with its selection of repositories. */
export async function removeVariable(tx: Tx, { id, selection_id }: Pick<Row, 'id' | 'selection_id'>): Promise<void> {
  await tx.deleteFrom('actions_variables').where('id', '=', id).execute();
  if (selection_id !== null) await removeSelection(tx, selection_id);
}

type JobVariable = Pick<Row, 'name' | 'value'>;

/**
 * The variables for a job in a repository, each name once. Variables of its environment take precedence over variables of the
 * repository, and these over variables of its organization that the repository may use. For repository and organization, at most
 * `bytes` of values are returned, ordered by name. An environment of another repository is ignored.
 */
export async function listJobVariables(
  db: Db,
  {
    repository,
    environment,
    bytes,
  }: { repository: Id<'repositories'>; environment: Id<'environments'> | undefined; bytes: number },
): Promise<JobVariable[]> {
  const { rows } = await sql<JobVariable>`
    select distinct on (name) name, value from (
      select name, value, 1 as place from actions_variables where environment_id = (
        select e.id from environments e where e.id = ${environment ?? null} and e.repository_id = ${repository})
      union all
      select name, value, place from (
        select name, value, place, sum(octet_length(value)) over (order by place, name) as bytes from (
          select name, value, 2 as place from actions_variables where repository_id = ${repository}
          union all
          select name, value, 3 from actions_variables
            where organization_id = (select r.owner_id from repositories r where r.id = ${repository})
              and ${mayUse('actions_variables', repository)}
        ) as shared
      ) as summed where bytes <= ${bytes}
    ) as available order by name, place`.execute(db);
  return rows;
}
