import type { Org } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Page } from '#lib/page.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/identity/accounts/index.ts';
import { type AssistantSku, sumAssistantUsage } from './assistant-usage.ts';
import { type BudgetRow, findEffectiveBudget, listBudgets, loadConsumed, loadRecipients } from './budget-store.ts';
import { monthOf, timeOf } from './periods.ts';
import type { Prices } from './prices.ts';
import {
  type AssistantUsageFilter,
  type AssistantUsageReport,
  type BillingUsageItem,
  type BillingUsageSummary,
  type Budget,
  type BudgetFilter,
  type BudgetList,
  budgetScopes,
  type ConsumedBudget,
  type NamedBudget,
} from './schemas.ts';
import { isPriced } from './skus.ts';
import type { DatedUsage, Usage } from './usage-store.ts';

/** Presents a page of budgets, with this month's consumption. Budgets for each user have that of the given one. */
async function presentConsumedBudgets(
  { db, now }: Scope,
  org: Org,
  rows: readonly BudgetRow[],
  user?: Id<'accounts'>,
): Promise<ConsumedBudget[]> {
  if (rows.length === 0) return [];
  const ids = gather(rows, 'id');
  const [recipients, consumed] = await Promise.all([
    loadRecipients(db, ids),
    loadConsumed(db, ids, { month: monthOf(now), user }),
  ]);
  return rows.map((row) => ({
    ...presentOne(org, row, recipients),
    ...(row.scope === 'multi_user_customer' && user === undefined ? {} : { consumed_amount: consumed.get(row.id) ?? 0 }),
  }));
}

export const presentConsumedBudget = async (scope: Scope, org: Org, row: BudgetRow): Promise<ConsumedBudget> =>
  firstOrNotFound(await presentConsumedBudgets(scope, org, [row]));

/** Presents the budgets of an organization, or those for the usage of one user, with the one that limits that user first. */
export async function presentBudgetList(
  scope: Scope,
  org: Org,
  { scope: wanted, user: login }: BudgetFilter,
  page: Page,
): Promise<{ body: BudgetList; total: number }> {
  const { db, now } = scope;
  const [user] = login === undefined ? [] : await findUsersByLogin(db, [login]);
  const known = budgetScopes.find((one) => one === wanted);
  // The public API's other scopes don't exist here.
  const isNone = (login !== undefined && !user) || (wanted !== undefined && known === undefined);
  const { rows, total } = isNone ? { rows: [], total: 0 } : await listBudgets(db, org.id, { scope: known, user: user?.id }, page);
  const budgets = await presentConsumedBudgets(scope, org, rows, user?.id);
  const effective = user && (await findEffectiveBudget(db, { organization: org.id, user: user.id, month: monthOf(now) }));
  const ofUser = {
    ...(user && { user: user.login }),
    ...(effective && {
      effective_budget: { id: String(effective.id), budget_amount: effective.amount, consumed_amount: effective.consumed },
    }),
  };
  return { body: { budgets, ...ofUser, has_next_page: page.offset + rows.length < total, total_count: total }, total };
}

export const presentBudget = async ({ db }: Scope, org: Org, row: BudgetRow): Promise<Budget> =>
  presentOne(org, row, await loadRecipients(db, [row.id]));

/** Presents a budget without its user, as the public API does in the reply to its creation. */
export async function presentNamedBudget(scope: Scope, org: Org, row: BudgetRow): Promise<NamedBudget> {
  const { user: _, ...budget } = await presentBudget(scope, org, row);
  return budget;
}

const presentOne = (org: Org, row: BudgetRow, recipients: Awaited<ReturnType<typeof loadRecipients>>): Budget => ({
  id: String(row.id),
  budget_scope: row.scope,
  budget_entity_name: row.user_login ?? (row.repository_name === null ? org.login : `${org.login}/${row.repository_name}`),
  ...(row.user_login === null ? {} : { user: row.user_login }),
  budget_amount: row.amount,
  prevent_further_usage: row.prevents_usage,
  budget_product_sku: row.product_sku,
  budget_type: row.budget_type,
  budget_alerting: {
    will_alert: row.alerts,
    alert_recipients: (recipients.get(row.id) ?? []).map(({ login }) => login),
  },
});

/** The message after a change of a budget. It says if nothing can use the budget up. */
export function messageOf(change: 'created' | 'updated', row: BudgetRow, prices: Prices): string {
  const done = `Budget successfully ${change}.`;
  if (row.amount === 0 || isPriced(prices, row)) return done;
  return `${done} Nothing that it counts has a price on this server, so it will not be used up.`;
}

/** An item of a report. There are no discounts. */
export const presentUsage = (
  { login }: Pick<Org, 'login'>,
  { date, product, sku, unit_type, price, quantity, repository_name }: DatedUsage,
): BillingUsageItem => ({
  date: `${date}T00:00:00Z`,
  product,
  sku,
  quantity,
  unitType: unit_type,
  pricePerUnit: price,
  grossAmount: quantity * price,
  discountAmount: 0,
  netAmount: quantity * price,
  organizationName: login,
  ...(repository_name === null ? {} : { repositoryName: `${login}/${repository_name}` }),
});

/** An item of a summary. */
export const presentSum = ({ product, sku, unit_type, price, quantity }: Usage): BillingUsageSummary['usageItems'][number] => ({
  product,
  sku,
  unitType: unit_type,
  pricePerUnit: price,
  grossQuantity: quantity,
  grossAmount: quantity * price,
  discountQuantity: 0,
  discountAmount: 0,
  netQuantity: quantity,
  netAmount: quantity * price,
});

/** A report of the assistant's usage, by model. */
export async function presentAssistantUsage(
  db: Db,
  org: Org,
  { sku, filter, now }: { sku: AssistantSku; filter: AssistantUsageFilter; now: Date },
): Promise<AssistantUsageReport> {
  const { year, month, day, ...wanted } = filter;
  const { named, period } = timeOf({ year, month, day }, now);
  const items = await sumAssistantUsage(db, org.id, { period, sku, ...wanted });
  const usageItems = items.map((item) => ({ model: item.model, ...presentSum(item) }));
  return { timePeriod: named, organization: org.login, ...wanted, usageItems };
}
