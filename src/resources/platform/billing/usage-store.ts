// The statements of usage: counting and reading it. Usage is stored in one row per day and one per month.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Ran } from './skus.ts';

type Organization = Id<'accounts'>;

/** An addition to the usage of a day in UTC, for example `2026-01-31`. */
export type Addition = {
  readonly organization_id: Organization;
  readonly day: string;
  readonly rate_id: Id<'billing_rates'>;
  readonly repository_id: RepositoryId;
  readonly repository_name: string;
  readonly quantity: number;
};

/** A job whose minutes are counted. */
type CountedJob = Omit<Addition, 'rate_id' | 'quantity' | 'day'> &
  Ran & { readonly started_at: Date; readonly completed_at: Date };

/** Marks jobs as counted. @returns the jobs of organizations that had runners and weren't counted before */
export async function countJobs(tx: Tx, jobs: readonly Id<'workflow_jobs'>[]): Promise<CountedJob[]> {
  const { rows } = await sql<CountedJob>`
    with counted as (
      insert into billing_counted_jobs (job_id)
      select j.id from workflow_jobs j where j.id = any (${jobs}::bigint[]) and j.status = 'completed'
        and j.runner_os is not null and j.started_at is not null and j.carried_from is null
      order by j.id on conflict do nothing returning job_id)
    select a.id as organization_id, r.id as repository_id, r.name as repository_name, j.started_at, j.completed_at,
      coalesce(h.platform, j.runner_os) as os, h.size_id as size
    from counted c
      join workflow_jobs j on j.id = c.job_id
      join repositories r on r.id = j.repository_id
      join accounts a on a.id = r.owner_id and a.kind = 'organization'
      left join hosted_runners h on h.id = j.hosted_runner_id`.execute(tx);
  return rows;
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
      rate_id integer, repository_id bigint, repository_name text, quantity bigint)`,
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
      s.quantity
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
    with added as materialized (${additions}), days as (
      insert into billing_days as d (organization_id, day, rate_id, repository_id, repository_name, quantity)
      select organization_id, day, rate_id, repository_id, max(repository_name), sum(quantity) from added
      group by organization_id, day, rate_id, repository_id order by 1, 2, 3, 4
      on conflict (organization_id, day, rate_id, repository_id)
        do update set quantity = d.quantity + excluded.quantity, repository_name = excluded.repository_name)
    insert into billing_months as m (organization_id, month, rate_id, repository_id, repository_name, quantity)
    select organization_id, date_trunc('month', day)::date, rate_id, repository_id, max(repository_name), sum(quantity) from added
    group by 1, 2, rate_id, repository_id order by 1, 2, 3, 4
    on conflict (organization_id, month, rate_id, repository_id)
      do update set quantity = m.quantity + excluded.quantity, repository_name = excluded.repository_name`.execute(tx);
}

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
export type DatedUsage = Usage & { readonly date: string; readonly repository_name: string };

/** The rows `u` of usage of an organization, with their rates `t`. */
function wantedRows(organization: Organization, { period, repository, product, sku }: WantedUsage): RawBuilder<unknown> {
  const { from, until, by } = period;
  const table = by === 'month' ? sql`billing_months` : sql`billing_days`;
  const date = by === 'month' ? sql.ref('u.month') : sql.ref('u.day');
  const conditions = [
    sql`u.organization_id = ${organization}`,
    sql`${date} >= ${from}::date`,
    sql`${date} < ${until}::date`,
    ...(repository === undefined ? [] : [sql`lower(u.repository_name) = lower(${repository})`]),
    ...(product === undefined ? [] : [sql`lower(t.product) = lower(${product})`]),
    ...(sku === undefined ? [] : [sql`lower(t.sku) = lower(${sku})`]),
  ];
  return sql`${table} u join billing_rates t on t.id = u.rate_id where ${sql.join(conditions, sql` and `)}`;
}

/** Usage by day or month, rate and repository, up to a limit of rows. */
export async function listUsage(db: Db, organization: Organization, wanted: WantedUsage, limit: number): Promise<DatedUsage[]> {
  const date = wanted.period.by === 'month' ? sql.ref('u.month') : sql.ref('u.day');
  const { rows } = await sql<DatedUsage>`
    select ${date} as date, t.product, t.sku, t.unit_type, t.price, u.repository_name,
      u.quantity::float8 / t.unit_size as quantity
    from ${wantedRows(organization, wanted)}
    order by ${date}, u.rate_id, u.repository_id limit ${limit}`.execute(db);
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
