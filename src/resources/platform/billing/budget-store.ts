// The statements of budgets. A budget's consumption is the month's usage of its product, SKU or bundle by its subject: an
// organization, a repository, one user, or each user.
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Product } from './skus.ts';

type Organization = Id<'accounts'>;
type Budget = Id<'billing_budgets'>;

type Row = Selectable<DB['billing_budgets']>;

/** A budget, with the name of its repository or the login of its user. */
export type BudgetRow = Row & { readonly repository_name: string | null; readonly user_login: string | null };
/** What a budget is for, and whose usage it counts. */
export type Named = Pick<Row, 'organization_id' | 'scope' | 'repository_id' | 'user_id' | 'product' | 'product_sku'>;

const names = [
  sql<string | null>`(select r.name from repositories r where r.id = billing_budgets.repository_id)`.as('repository_name'),
  sql<string | null>`(select a.login from accounts a where a.id = billing_budgets.user_id)`.as('user_login'),
] as const;

const ofOrganization = (db: Db, organization: OrSql<Organization>) =>
  db
    .selectFrom('billing_budgets')
    .selectAll('billing_budgets')
    .select([...names])
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
    .select([...names])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** A filter of budgets: by their scope, and those for the usage of one user or of each user. */
type BudgetsWanted = { readonly scope?: Row['scope'] | undefined; readonly user?: Id<'accounts'> | undefined };

/** The budgets of an organization. */
export function listBudgets(
  db: Db,
  organization: Organization,
  { scope, user }: BudgetsWanted,
  page: Page,
): Promise<Listed<BudgetRow>> {
  let query = ofOrganization(db, organization).orderBy('id');
  if (scope !== undefined) query = query.where('scope', '=', scope);
  if (user !== undefined)
    query = query.where(({ eb, or }) => or([eb('scope', '=', 'multi_user_customer'), eb('user_id', '=', user)]));
  return list(db, query, page);
}

/**
 * The number of an organization's budgets, for single users or for others, and whether another one has the same subject.
 */
export async function countBudgets(tx: Tx, wanted: Named, but?: Budget): Promise<{ total: number; clash: boolean }> {
  const { rows } = await sql<{ total: number; clash: boolean }>`
    select count(*) as total, coalesce(bool_or(scope = ${wanted.scope} and user_id is not distinct from ${wanted.user_id}
      and repository_id is not distinct from ${wanted.repository_id}
      and product_sku = ${wanted.product_sku} and id is distinct from ${but ?? null}), false) as clash
    from billing_budgets
    where organization_id = ${wanted.organization_id} and (scope = 'user') = ${wanted.scope === 'user'}`.execute(tx);
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

/** Deletes the budgets for a repository that an organization no longer has. @returns their ids */
export async function removeForeignBudgets(
  tx: Tx,
  organization: Organization,
  repository: Id<'repositories'>,
): Promise<Budget[]> {
  const { rows } = await sql<{ id: Budget }>`
    delete from billing_budgets b where b.organization_id = ${organization} and b.repository_id = ${repository}
      and not exists (select from repositories r where r.id = b.repository_id and r.owner_id = b.organization_id)
    returning b.id`.execute(tx);
  return rows.map(({ id }) => id);
}

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

/** The recipients of the alerts of budgets. Only owners see an organization's spending, so former owners are left out. */
export async function loadRecipients(db: Db, budgets: readonly Budget[]): Promise<Map<Budget, Recipient[]>> {
  const { rows } = await sql<Recipient>`
    select r.budget_id, r.user_id, a.login from billing_budget_recipients r
      join billing_budgets b on b.id = r.budget_id
      join memberships m on m.organization_id = b.organization_id and m.user_id = r.user_id and m.role = 'owner'
      join accounts a on a.id = r.user_id
    where r.budget_id = any (${budgets}::bigint[]) order by a.login`.execute(db);
  return grouped(rows, ({ budget_id }) => budget_id);
}

/** The usage `u` that a budget `b` counts in a month, with its rates `t`. A budget for each user counts that of all users. */
const countedBy = (month: string) => sql`
  billing_months u join billing_rates t on t.id = u.rate_id
  where u.organization_id = b.organization_id and u.month = ${month}::date and b.product_sku in (t.product, t.sku, t.bundle)
    and (b.repository_id is null or u.repository_id = b.repository_id)
    and (b.user_id is null or u.user_id = b.user_id) and (b.scope <> 'multi_user_customer' or u.user_id is not null)`;

/** The cost of usage `u`, of which sums are exact. */
const cost = sql`sum(u.quantity * t.price::numeric / t.unit_size)`;

/** The consumption of a budget `b` in a month. A budget for each user counts the given one. */
const consumedOf = (month: string, user: Id<'accounts'> | undefined) => sql<number>`(
  select coalesce(${cost}, 0) from ${countedBy(month)} and (b.scope <> 'multi_user_customer' or u.user_id = ${user ?? null}))`;

/** Whether a user has a budget of their own in the place of a budget `b` for each user. */
const isReplaced = (user: RawBuilder<unknown>) => sql<boolean>`(b.scope = 'multi_user_customer' and exists (
  select from billing_budgets o where o.organization_id = b.organization_id and o.scope = 'user' and o.user_id = ${user}
    and o.product_sku = b.product_sku))`;

/** Whether a budget `b` is for the usage of a user: their own one, or the one for each user. */
const isForUser = (user: Id<'accounts'>) => sql<boolean>`(b.user_id = ${user} or b.scope = 'multi_user_customer')
  and not ${isReplaced(sql`${user}`)}`;

/** The consumption of budgets in a month. Budgets for each user count the given one. */
export async function loadConsumed(
  db: Db,
  budgets: readonly Budget[],
  { month, user }: { month: string; user: Id<'accounts'> | undefined },
): Promise<Map<Budget, number>> {
  const { rows } = await sql<{ id: Budget; consumed: number }>`
    select b.id, ${consumedOf(month, user)}::float8 as consumed
    from billing_budgets b where b.id = any (${budgets}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, consumed }) => [id, consumed]));
}

/** A budget with its consumption by a user. */
type UserBudget = { readonly id: Budget; readonly amount: number; readonly consumed: number };

/** The budget that limits a user first: of those for the user's usage, the one of which the least is left. */
export async function findEffectiveBudget(
  db: Db,
  { organization, user, month }: { organization: Organization; user: Id<'accounts'>; month: string },
): Promise<UserBudget | undefined> {
  const { rows } = await sql<UserBudget>`
    select b.id, b.amount, c.consumed::float8 as consumed
    from billing_budgets b cross join lateral (select ${consumedOf(month, user)} as consumed) c
    where b.organization_id = ${organization} and ${isForUser(user)}
    order by b.amount - c.consumed, b.id limit 1`.execute(db);
  return rows[0];
}

/** Usage that is about to begin. */
export type IntendedUse = {
  readonly organization: Organization;
  /** Undefined for products that belong to no repository. */
  readonly repository: Id<'repositories'> | undefined;
  /** The account that causes it, of any kind. */
  readonly user: Id<'accounts'> | undefined;
  readonly product: Product;
};

type SpentBudget = Pick<BudgetRow, 'amount' | 'product_sku' | 'scope' | 'user_login'>;

/** A used-up budget that prevents further usage, with the login of its user; undefined if no budget does. */
export async function findSpentBudget(
  db: Db,
  { organization, repository, user, product, month }: IntendedUse & { month: string },
): Promise<SpentBudget | undefined> {
  const { rows } = await sql<SpentBudget>`
    select b.amount, b.product_sku, b.scope, p.login as user_login
    from billing_budgets b left join accounts p on p.id = ${user ?? null} and p.kind = 'user'
    where b.organization_id = ${organization} and b.product = ${product} and b.prevents_usage
      and (b.repository_id is null or b.repository_id = ${repository ?? null})
      and (b.user_id is null or b.user_id = p.id)
      and (b.scope <> 'multi_user_customer' or p.id is not null) and not ${isReplaced(sql`p.id`)}
      and ${consumedOf(month, user)} >= b.amount
    order by b.id limit 1`.execute(db);
  return rows[0];
}

/** A threshold of a budget that was reached, with the repository that used most of it. */
type ReachedThreshold = {
  readonly budget: Budget;
  readonly organization: Organization;
  readonly threshold: number;
  readonly repository: Id<'repositories'> | null;
  /** Who reached it, for a budget for each user. */
  readonly user: Id<'accounts'> | null;
};

/**
 * Stores the thresholds, in percent, that organizations' budgets have reached in a month. Budgets for each user reach them for
 * each one.
 * @returns the highest new one of each, with a repository of the organization: the one that used most, or the oldest one
 */
export async function putReached(
  tx: Tx,
  organizations: readonly Organization[],
  { month, thresholds }: { month: string; thresholds: readonly number[] },
): Promise<ReachedThreshold[]> {
  const { rows } = await sql<ReachedThreshold>`
    with reached as (
      insert into billing_budget_alerts (budget_id, month, threshold, user_id)
      select b.id, ${month}::date, t.threshold, c.user_id
      from billing_budgets b
        cross join lateral (
          select case when b.scope = 'multi_user_customer' then u.user_id end as user_id, ${cost} as consumed
          from ${countedBy(month)} group by 1) c
        join unnest(${thresholds}::integer[]) as t(threshold)
          on c.consumed > 0 and c.consumed * 100 >= b.amount * t.threshold
      where b.organization_id = any (${organizations}::bigint[]) and b.alerts and not ${isReplaced(sql`c.user_id`)}
      order by b.id, c.user_id, t.threshold
      on conflict do nothing returning budget_id, threshold, user_id)
    select b.id as budget, b.organization_id as organization, reached.user_id as "user", max(reached.threshold) as threshold,
      coalesce(b.repository_id,
        (select u.repository_id from ${countedBy(month)} and (reached.user_id is null or u.user_id = reached.user_id)
          and u.repository_id in (select r.id from repositories r where r.owner_id = b.organization_id)
          group by u.repository_id order by ${cost} desc, u.repository_id limit 1),
        (select min(r.id) from repositories r where r.owner_id = b.organization_id)) as repository
    from reached join billing_budgets b on b.id = reached.budget_id
    group by b.id, reached.user_id order by b.id, reached.user_id`.execute(tx);
  return rows;
}

/** Deletes the stored thresholds of a budget, so that they are reported again. */
export const forgetReached = async (tx: Tx, budget: Budget): Promise<void> => {
  await tx.deleteFrom('billing_budget_alerts').where('budget_id', '=', budget).execute();
};
