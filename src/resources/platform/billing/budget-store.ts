// The statements of budgets. A budget's consumption is the month's usage of its product or SKU by its organization or repository.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Product } from './skus.ts';

type Organization = Id<'accounts'>;
type Budget = Id<'billing_budgets'>;

/** A budget, with the name of its repository. */
export type BudgetRow = Selectable<DB['billing_budgets']> & { readonly repository_name: string | null };
/** The subject of a budget, and its name. */
export type Named = Pick<BudgetRow, 'organization_id' | 'repository_id' | 'product_sku'>;

const repositoryName = sql<string | null>`(select r.name from repositories r where r.id = billing_budgets.repository_id)`.as(
  'repository_name',
);

const ofOrganization = (db: Db, organization: OrSql<Organization>) =>
  db
    .selectFrom('billing_budgets')
    .selectAll('billing_budgets')
    .select(repositoryName)
    .where('organization_id', '=', organization);

export const selectBudget = (db: Db, organization: OrSql<Organization>, id: Budget) =>
  ofOrganization(db, organization).where('id', '=', id);

export const findBudget = (db: Db, organization: Organization, id: Budget): Promise<BudgetRow | undefined> =>
  selectBudget(db, organization, id).executeTakeFirst();

/** Reads the budget again and locks its row; undefined if it was deleted. */
export const findBudgetForUpdate = (tx: Tx, { id }: Pick<BudgetRow, 'id'>): Promise<BudgetRow | undefined> =>
  tx
    .selectFrom('billing_budgets')
    .selectAll('billing_budgets')
    .select(repositoryName)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** The budgets of an organization: all, or only those of the organization itself or of its repositories. */
export function listBudgets(
  db: Db,
  organization: Organization,
  scope: 'organization' | 'repository' | undefined,
  page: Page,
): Promise<Listed<BudgetRow>> {
  const all = ofOrganization(db, organization).orderBy('id');
  if (scope === undefined) return list(db, all, page);
  return list(db, all.where('repository_id', scope === 'organization' ? 'is' : 'is not', null), page);
}

/** The number of an organization's budgets, and whether another one has the same subject. */
export async function countBudgets(tx: Tx, wanted: Named, but?: Budget): Promise<{ total: number; clash: boolean }> {
  const { rows } = await sql<{ total: number; clash: boolean }>`
    select count(*) as total, coalesce(bool_or(repository_id is not distinct from ${wanted.repository_id}
      and product_sku = ${wanted.product_sku} and id is distinct from ${but ?? null}), false) as clash
    from billing_budgets where organization_id = ${wanted.organization_id}`.execute(tx);
  return rows[0] ?? { total: 0, clash: false };
}

export const insertBudget = async (tx: Tx, row: Insertable<DB['billing_budgets']>): Promise<Budget> =>
  (await tx.insertInto('billing_budgets').values(row).returning('id').executeTakeFirstOrThrow()).id;

export const updateBudget = async (tx: Tx, id: Budget, change: Updateable<DB['billing_budgets']>): Promise<void> => {
  await tx.updateTable('billing_budgets').set(change).where('id', '=', id).execute();
};

export const removeBudget = async (tx: Tx, id: Budget): Promise<void> => {
  await tx.deleteFrom('billing_budgets').where('id', '=', id).execute();
};

/** Sets the recipients of a budget's alerts. */
export async function setRecipients(tx: Tx, budget: Budget, users: readonly Id<'accounts'>[]): Promise<void> {
  await tx.deleteFrom('billing_budget_recipients').where('budget_id', '=', budget).execute();
  if (users.length === 0) return;
  const rows = users.map((user_id) => ({ budget_id: budget, user_id }));
  await tx.insertInto('billing_budget_recipients').values(rows).execute();
}

/** The given users who own an organization, by their logins in lower case. */
export async function loadOwners(
  db: Db,
  organization: Organization,
  logins: readonly string[],
): Promise<Map<string, Id<'accounts'>>> {
  const { rows } = await sql<{ id: Id<'accounts'>; login: string }>`
    select a.id, lower(a.login) as login from accounts a
      join memberships m on m.user_id = a.id and m.organization_id = ${organization} and m.role = 'owner'
    where lower(a.login) = any (${logins.map((login) => login.toLowerCase())})`.execute(db);
  return new Map(rows.map(({ id, login }) => [login, id]));
}

type Recipient = { readonly budget_id: Budget; readonly user_id: Id<'accounts'>; readonly login: string };

/** The recipients of the alerts of budgets. */
export async function loadRecipients(db: Db, budgets: readonly Budget[]): Promise<Map<Budget, Recipient[]>> {
  const { rows } = await sql<Recipient>`
    select b.budget_id, b.user_id, a.login from billing_budget_recipients b join accounts a on a.id = b.user_id
    where b.budget_id = any (${budgets}::bigint[]) order by a.login`.execute(db);
  return grouped(rows, ({ budget_id }) => budget_id);
}

/** The consumption of a budget `b` in a month. */
const consumedOf = (month: string) => sql<number>`(
  select coalesce(sum(u.quantity * t.price / t.unit_size), 0) from billing_months u join billing_rates t on t.id = u.rate_id
  where u.organization_id = b.organization_id and u.month = ${month}::date
    and (b.repository_id is null or u.repository_id = b.repository_id) and b.product_sku in (t.product, t.sku))`;

/** The consumption of budgets in a month. */
export async function loadConsumed(db: Db, budgets: readonly Budget[], month: string): Promise<Map<Budget, number>> {
  const { rows } = await sql<{ id: Budget; consumed: number }>`
    select b.id, ${consumedOf(month)} as consumed from billing_budgets b where b.id = any (${budgets}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, consumed }) => [id, consumed]));
}

/** A used-up budget that prevents further usage of a product by a repository; undefined if no budget does. */
export async function findSpentBudget(
  db: Db,
  {
    organization,
    repository,
    month,
    product,
  }: { organization: Organization; repository: Id<'repositories'>; month: string; product: Product },
): Promise<Pick<BudgetRow, 'amount' | 'product_sku' | 'repository_id'> | undefined> {
  const { rows } = await sql<Pick<BudgetRow, 'amount' | 'product_sku' | 'repository_id'>>`
    select b.amount, b.product_sku, b.repository_id from billing_budgets b
    where b.organization_id = ${organization} and b.prevents_usage
      and (b.product_sku = ${product} or starts_with(b.product_sku, ${`${product}_`}))
      and (b.repository_id is null or b.repository_id = ${repository})
      and ${consumedOf(month)} >= b.amount
    order by b.id limit 1`.execute(db);
  return rows[0];
}

/** A threshold of a budget that was reached, with the repository that used most of it. */
type ReachedThreshold = {
  readonly budget: Budget;
  readonly organization: Organization;
  readonly threshold: number;
  readonly repository: Id<'repositories'> | null;
};

/**
 * Stores the thresholds, in percent, that organizations' budgets have reached in a month.
 * @returns the highest new one of each
 */
export async function putReached(
  tx: Tx,
  organizations: readonly Organization[],
  { month, thresholds }: { month: string; thresholds: readonly number[] },
): Promise<ReachedThreshold[]> {
  const { rows } = await sql<ReachedThreshold>`
    with told as (
      insert into billing_budget_alerts (budget_id, month, threshold)
      select c.id, ${month}::date, t.threshold
      from (select b.id, b.amount, ${consumedOf(month)} as consumed from billing_budgets b
        where b.organization_id = any (${organizations}::bigint[]) and b.alerts) c
        join unnest(${thresholds}::integer[]) as t(threshold) on c.consumed > 0 and c.consumed * 100 >= c.amount * t.threshold
      order by c.id, t.threshold
      on conflict do nothing returning budget_id, threshold)
    select b.id as budget, b.organization_id as organization, max(told.threshold) as threshold,
      coalesce(b.repository_id, (select r.id from billing_months u
        join billing_rates t on t.id = u.rate_id and b.product_sku in (t.product, t.sku)
        join repositories r on r.id = u.repository_id and r.owner_id = b.organization_id
        where u.organization_id = b.organization_id and u.month = ${month}::date
        group by r.id order by sum(u.quantity * t.price / t.unit_size) desc, r.id limit 1)) as repository
    from told join billing_budgets b on b.id = told.budget_id
    group by b.id`.execute(tx);
  return rows;
}

/** Deletes the stored thresholds of a budget, so that they are reported again. */
export const forgetReached = async (tx: Tx, budget: Budget): Promise<void> => {
  await tx.deleteFrom('billing_budget_alerts').where('budget_id', '=', budget).execute();
};
