import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Oid } from '#git/objects/oid.ts';
import { gather, keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Listed, Page } from '#lib/page.ts';
import { deploymentLimits } from './limits.ts';
import type { DeploymentFilter } from './schemas.ts';

export type DeploymentRow = Selectable<DB['deployments']>;
export type StatusRow = Selectable<DB['deployment_statuses']>;

type Deployment = Id<'deployments'>;

const ofRepository = (db: Db, repository: OrSql<RepositoryId>) =>
  db.selectFrom('deployments').selectAll().where('repository_id', '=', repository);

/** The deployments of a repository that match a filter, newest first. */
export function listDeployments(
  db: Db,
  repository: RepositoryId,
  { sha, ref, task, environment }: DeploymentFilter,
  page: Page,
): Promise<Listed<DeploymentRow>> {
  const conditions: [string | undefined, (value: string) => RawBuilder<boolean>][] = [
    [sha, (value) => sql`sha = ${value.toLowerCase()}`],
    [ref, (value) => sql`ref = ${value}`],
    [task, (value) => sql`task = ${value}`],
    [environment, (value) => sql`lower(environment) = lower(${value})`],
  ];
  const query = conditions.reduce(
    (found, [value, condition]) => (value === undefined || value === 'none' ? found : found.where(condition(value))),
    ofRepository(db, repository),
  );
  return list(db, query.orderBy('id', 'desc'), page);
}

export const selectDeployment = (db: Db, repository: OrSql<RepositoryId>, id: Deployment) =>
  ofRepository(db, repository).where('id', '=', id);

/** Reads the deployment again and locks its row; undefined if it was deleted. */
export const findDeploymentForUpdate = (tx: Tx, { id }: Pick<DeploymentRow, 'id'>): Promise<DeploymentRow | undefined> =>
  tx.selectFrom('deployments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const loadDeployments = async (db: Db, ids: readonly Deployment[]): Promise<Map<Deployment, DeploymentRow>> =>
  keyed(
    ids.length === 0
      ? []
      : await db
          .selectFrom('deployments')
          .selectAll()
          .where('id', 'in', [...ids])
          .execute(),
    ({ id }) => id,
  );

export const insertDeployment = (tx: Tx, row: Insertable<DB['deployments']>): Promise<DeploymentRow> =>
  tx.insertInto('deployments').values(row).returningAll().executeTakeFirstOrThrow();

export const updateDeployment = (tx: Tx, id: Deployment, change: Updateable<DB['deployments']>): Promise<DeploymentRow> =>
  tx.updateTable('deployments').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeDeployment = (tx: Tx, id: Deployment) => tx.deleteFrom('deployments').where('id', '=', id).execute();

/** Whether a repository has another deployment. */
export const hasOtherDeployment = async (db: Db, { id, repository_id }: DeploymentRow): Promise<boolean> =>
  (await ofRepository(db, repository_id).clearSelect().select('id').where('id', '<>', id).limit(1).executeTakeFirst()) !==
  undefined;

const ofDeployment = (db: Db, deployment: Deployment) =>
  db.selectFrom('deployment_statuses').selectAll().where('deployment_id', '=', deployment);

/** The statuses of a deployment, newest first. */
export const listStatuses = (db: Db, deployment: Deployment, page: Page): Promise<Listed<StatusRow>> =>
  list(db, ofDeployment(db, deployment).orderBy('id', 'desc'), page);

/** The addresses of the logs that the latest statuses of deployments have. */
export async function loadLatestLogs(db: Db, deployments: readonly Deployment[]): Promise<Map<Deployment, string>> {
  const rows = await db
    .selectFrom('deployment_statuses')
    .distinctOn('deployment_id')
    .select(['deployment_id', 'log_url'])
    .where(sql<boolean>`deployment_id = any (${[...deployments]}::bigint[])`)
    .orderBy('deployment_id')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map(({ deployment_id, log_url }) => [deployment_id, log_url]));
}

export const findStatus = (db: Db, deployment: Deployment, id: Id<'deployment_statuses'>): Promise<StatusRow | undefined> =>
  ofDeployment(db, deployment).where('id', '=', id).executeTakeFirst();

export const loadStatuses = async (db: Db, ids: readonly StatusRow['id'][]): Promise<Map<StatusRow['id'], StatusRow>> =>
  keyed(
    ids.length === 0
      ? []
      : await db
          .selectFrom('deployment_statuses')
          .selectAll()
          .where('id', 'in', [...ids])
          .execute(),
    ({ id }) => id,
  );

export const insertStatus = (tx: Tx, row: Insertable<DB['deployment_statuses']>): Promise<StatusRow> =>
  tx.insertInto('deployment_statuses').values(row).returningAll().executeTakeFirstOrThrow();

const maxDeactivated = fixedValue(deploymentLimits.deactivated);

type By = Pick<StatusRow, 'creator_id' | 'via_app_id' | 'created_at'>;

/**
 * Makes earlier successful deployments to the environment of a given one inactive, except transient and production ones (the
 * public API's rule), and adds a status to each. They are locked in the same order in every request: latest first.
 */
export async function deactivateEarlier(
  tx: Tx,
  { id, repository_id, environment }: DeploymentRow,
  { creator_id, via_app_id, created_at }: By,
): Promise<Pick<StatusRow, 'id' | 'deployment_id'>[]> {
  const { rows } = await sql<Pick<StatusRow, 'id' | 'deployment_id'>>`
    with earlier as (
      select d.id from deployments d
      where d.repository_id = ${repository_id} and lower(d.environment) = lower(${environment}) and d.state = 'success'
        and d.id < ${id} and not d.is_transient and not d.is_production
      order by d.id desc limit ${maxDeactivated} for update
    ), changed as (
      update deployments d set state = 'inactive', updated_at = ${created_at} from earlier where d.id = earlier.id
      returning d.id, d.environment
    )
    insert into deployment_statuses (
      deployment_id, state, description, environment, log_url, environment_url, creator_id, via_app_id, created_at)
    select id, 'inactive', '', environment, '', '', ${creator_id}, ${via_app_id}, ${created_at} from changed order by id
    returning id, deployment_id`.execute(tx);
  return rows;
}

/** The maximum number of pull requests whose timelines show a deployment. */
const maxPulls = 100;

/** The issues of the open pull requests in the same repository whose head is a commit. */
export async function listDeployedPulls(db: Db, repository: RepositoryId, commit: Oid): Promise<Id<'issues'>[]> {
  const { rows } = await sql<{ id: Id<'issues'> }>`
    select i.id from pull_requests p join issues i on i.id = p.issue_id
    where p.repository_id = ${repository} and p.head_repository_id = ${repository} and i.state = 'open' and p.head_sha = ${commit}
    order by i.number limit ${maxPulls}`.execute(db);
  return gather(rows, 'id');
}

/**
 * The environments, in lower case, to which a commit is successfully deployed according to the latest status of each deployment.
 * Inactive deployments don't count.
 */
export async function listActiveDeploymentEnvironments(db: Db, repository: RepositoryId, commit: Oid): Promise<string[]> {
  const { rows } = await sql<{ environment: string }>`
    select distinct lower(environment) as environment from deployments
    where repository_id = ${repository} and sha = ${commit} and state = 'success' order by 1`.execute(db);
  return gather(rows, 'environment');
}
