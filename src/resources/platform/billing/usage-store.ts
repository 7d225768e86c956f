// The statements of usage: counting and reading it. Usage is stored in one row per day and one per month.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Ran } from './skus.ts';

type Organization = Id<'accounts'>;

/** An addition to the usage of a day in UTC, for example `2026-01-31`. */
type Addition = {
  readonly organization_id: Organization;
  readonly day: string;
  readonly rate_id: Id<'billing_rates'>;
  readonly repository_id: RepositoryId | null;
  readonly repository_name: string | null;
  readonly user_id: Id<'accounts'> | null;
  readonly quantity: number;
};

/** A job whose minutes are counted, with the user who triggered its attempt. */
type CountedJob = Ran & {
  readonly organization: Organization;
  /** The repository, with its name if it still belongs to the organization. */
  readonly repository: { readonly id: RepositoryId; readonly name: string | null };
  readonly user: Id<'accounts'> | null;
  readonly started_at: Date;
  readonly completed_at: Date;
};

/**
 * Marks jobs as counted. They count for the owner of their repository at the time when they ended.
 * @returns the jobs of organizations that had runners and weren't counted before
 */
export async function countJobs(
  tx: Tx,
  jobs: readonly { readonly job: Id<'workflow_jobs'>; readonly owner: Id<'accounts'> }[],
): Promise<CountedJob[]> {
  const { rows } = await sql<Omit<CountedJob, 'repository'> & { repository_id: RepositoryId; repository_name: string | null }>`
    with ended as (select distinct on (job) job, owner from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
        as e(job bigint, owner bigint)),
      counted as (
        insert into billing_counted_jobs (job_id)
        select j.id from workflow_jobs j where j.id in (select job from ended) and j.status = 'completed'
          and j.runner_os is not null and j.started_at is not null and j.carried_from is null
        order by j.id on conflict do nothing returning job_id)
    select a.id as organization, r.id as repository_id, case when r.owner_id = a.id then r.name end as repository_name,
      j.started_at, j.completed_at,
      coalesce(h.platform, j.runner_os) as os, h.size_id as size, p.id as "user"
    from counted c
      join ended e on e.job = c.job_id
      join workflow_jobs j on j.id = c.job_id
      join workflow_runs w on w.id = j.run_id
      left join workflow_run_attempts t on t.run_id = j.run_id and t.attempt = j.attempt
      join repositories r on r.id = j.repository_id
      join accounts a on a.id = e.owner and a.kind = 'organization'
      left join hosted_runners h on h.id = j.hosted_runner_id
      left join accounts p on p.kind = 'user' and p.id = case when w.attempt = j.attempt
        then coalesce(w.on_behalf_of_id, w.triggering_actor_id, w.actor_id)
        else coalesce(t.on_behalf_of_id, t.triggering_actor_id) end`.execute(tx);
  return rows.map(({ repository_id, repository_name, ...row }) => ({
    ...row,
    repository: { id: repository_id, name: repository_name },
  }));
}

/** Marks an hour as counted. @returns false if it already was */
export async function countHour(tx: Tx, hour: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into billing_counted_hours (hour) values (${hour}) on conflict do nothing returning hour`.execute(tx);
  return rows.length > 0;
}

/** Deletes the record of hours that were counted before a given time. */
export const forgetHours = async (tx: Tx, before: Date): Promise<void> => {
  await tx.deleteFrom('billing_counted_hours').where('hour', '<', before).execute();
};

/** Adds usage to its day and month. */
export const addUsage = (tx: Tx, additions: readonly Addition[]): Promise<void> =>
  add(
    tx,
    sql`select * from jsonb_to_recordset(${JSON.stringify(additions)}::jsonb) as a(organization_id bigint, day date,
      rate_id integer, repository_id bigint, repository_name text, user_id bigint, quantity bigint)`,
  );

/** Adds the current size of artifacts and caches as stored for an hour of a day. @returns the organizations that have any */
export async function addStorage(
  tx: Tx,
  day: string,
  { artifacts, caches }: { artifacts: Id<'billing_rates'>; caches: Id<'billing_rates'> },
): Promise<Organization[]> {
  const stored = sql`
    select rate_id, repository_id, sum(size)::bigint as quantity from (
      select ${artifacts}::integer as rate_id, repository_id, size from artifacts where object_key is not null
      union all select ${caches}::integer, repository_id, size from caches where upload_id is null) s
    group by rate_id, repository_id`;
  const owned = sql`
    select r.owner_id as organization_id, ${day}::date as day, s.rate_id, r.id as repository_id, r.name as repository_name,
      null::bigint as user_id, s.quantity
    from (${stored}) s
      join repositories r on r.id = s.repository_id
      join accounts o on o.id = r.owner_id and o.kind = 'organization'
    where s.quantity > 0`;
  await add(tx, owned);
  const { rows } = await sql<{ id: Organization }>`
    select distinct organization_id as id from billing_days
    where day = ${day}::date and rate_id = any (${[artifacts, caches]})`.execute(tx);
  return rows.map(({ id }) => id);
}

async function add(tx: Tx, additions: RawBuilder<unknown>): Promise<void> {
  await sql`
    with added as materialized (${additions}), names as (
      insert into billing_repositories (organization_id, repository_id, name)
      select organization_id, repository_id, max(repository_name) from added where repository_name is not null
      group by organization_id, repository_id order by 1, 2
      on conflict (organization_id, repository_id) do update set name = excluded.name), days as (
      insert into billing_days as d (organization_id, day, rate_id, repository_id, user_id, quantity)
      select organization_id, day, rate_id, repository_id, user_id, sum(quantity) from added
      group by organization_id, day, rate_id, repository_id, user_id order by 1, 2, 3, 4, 5
      on conflict (organization_id, day, rate_id, repository_id, user_id)
        do update set quantity = d.quantity + excluded.quantity)
    insert into billing_months as m (organization_id, month, rate_id, repository_id, user_id, quantity)
    select organization_id, date_trunc('month', day)::date, rate_id, repository_id, user_id, sum(quantity) from added
    group by 1, 2, rate_id, repository_id, user_id order by 1, 2, 3, 4, 5
    on conflict (organization_id, month, rate_id, repository_id, user_id)
      do update set quantity = m.quantity + excluded.quantity`.execute(tx);
}

/** Keeps the last name of a repository that an organization no longer has. */
export const putName = async (
  tx: Tx,
  organization: Organization,
  repository: Id<'repositories'>,
  name: string,
): Promise<void> => {
  await sql`
    insert into billing_repositories (organization_id, repository_id, name)
    select id, ${repository}, ${name} from accounts where id = ${organization} and kind = 'organization'
    on conflict (organization_id, repository_id) do update set name = excluded.name`.execute(tx);
};

/** The period of a query, from a day on and before another, and whether it reads months or days. */
export type Period = { readonly from: string; readonly until: string; readonly by: 'month' | 'day' };

/** A filter of usage. The name of a repository is its name within its organization. */
export type WantedUsage = {
  readonly period: Period;
  readonly repository?: string | undefined;
  readonly product?: string | undefined;
  readonly sku?: string | undefined;
};

/** Usage, with its quantity in units. */
export type Usage = {
  readonly product: string;
  readonly sku: string;
  readonly unit_type: string;
  readonly price: number;
  readonly quantity: number;
};
/** The usage of a day or a month, with the name of its repository. */
export type DatedUsage = Usage & { readonly date: string; readonly repository_name: string | null };

/** The name of a repository: the current one in its organization, or the last one that it had there. */
const repositoryName = sql<string | null>`coalesce(r.name, n.name)`;

/** The rows `u` of usage of an organization, with their rates `t` and the names of their repositories. */
function wantedRows(organization: Organization, { period, repository, product, sku }: WantedUsage): RawBuilder<unknown> {
  const { from, until, by } = period;
  const table = by === 'month' ? sql`billing_months` : sql`billing_days`;
  const date = by === 'month' ? sql.ref('u.month') : sql.ref('u.day');
  const conditions = [
    sql`u.organization_id = ${organization}`,
    sql`${date} >= ${from}::date`,
    sql`${date} < ${until}::date`,
    ...(repository === undefined ? [] : [sql`lower(${repositoryName}) = lower(${repository})`]),
    ...(product === undefined ? [] : [sql`lower(t.product) = lower(${product})`]),
    ...(sku === undefined ? [] : [sql`lower(t.sku) = lower(${sku})`]),
  ];
  return sql`${table} u
      join billing_rates t on t.id = u.rate_id
      left join billing_repositories n on n.organization_id = u.organization_id and n.repository_id = u.repository_id
      left join repositories r on r.id = u.repository_id and r.owner_id = u.organization_id
    where ${sql.join(conditions, sql` and `)}`;
}

/** Usage by day or month, rate and repository, up to a limit of rows. */
export async function listUsage(db: Db, organization: Organization, wanted: WantedUsage, limit: number): Promise<DatedUsage[]> {
  const date = wanted.period.by === 'month' ? sql.ref('u.month') : sql.ref('u.day');
  const { rows } = await sql<DatedUsage>`
    select ${date} as date, t.product, t.sku, t.unit_type, t.price, ${repositoryName} as repository_name,
      sum(u.quantity)::float8 / t.unit_size as quantity
    from ${wantedRows(organization, wanted)}
    group by ${date}, t.id, u.repository_id, ${repositoryName}
    order by ${date}, t.id, u.repository_id limit ${limit}`.execute(db);
  return rows;
}

/** Usage by its rates. */
export async function sumUsage(db: Db, organization: Organization, wanted: WantedUsage): Promise<Usage[]> {
  const { rows } = await sql<Usage>`
    select t.product, t.sku, t.unit_type, t.price, sum(u.quantity)::float8 / t.unit_size as quantity
    from ${wantedRows(organization, wanted)}
    group by t.id order by t.sku, t.price`.execute(db);
  return rows;
}
