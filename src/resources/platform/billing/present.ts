import type { Org } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { type AssistantSku, sumAssistantUsage } from './assistant-usage.ts';
import { type BudgetRow, loadConsumed, loadRecipients } from './budget-store.ts';
import { monthOf, timeOf } from './periods.ts';
import type {
  AssistantUsageFilter,
  AssistantUsageReport,
  BillingUsageItem,
  BillingUsageSummary,
  Budget,
  ConsumedBudget,
} from './schemas.ts';
import type { DatedUsage, Usage } from './usage-store.ts';

/** Presents a page of budgets, with this month's consumption. */
export async function presentConsumedBudgets(
  { db, now }: Scope,
  org: Org,
  rows: readonly BudgetRow[],
): Promise<ConsumedBudget[]> {
  if (rows.length === 0) return [];
  const ids = gather(rows, 'id');
  const [recipients, consumed] = await Promise.all([loadRecipients(db, ids), loadConsumed(db, ids, monthOf(now))]);
  return rows.map((row) => ({ ...presentOne(org, row, recipients), consumed_amount: consumed.get(row.id) ?? 0 }));
}

export const presentConsumedBudget = async (scope: Scope, org: Org, row: BudgetRow): Promise<ConsumedBudget> =>
  firstOrNotFound(await presentConsumedBudgets(scope, org, [row]));

export const presentBudget = async ({ db }: Scope, org: Org, row: BudgetRow): Promise<Budget> =>
  presentOne(org, row, await loadRecipients(db, [row.id]));

const presentOne = (org: Org, row: BudgetRow, recipients: Awaited<ReturnType<typeof loadRecipients>>): Budget => ({
  id: String(row.id),
  budget_scope: row.repository_id === null ? 'organization' : 'repository',
  budget_entity_name: row.repository_name === null ? org.login : `${org.login}/${row.repository_name}`,
  budget_amount: row.amount,
  prevent_further_usage: row.prevents_usage,
  budget_product_sku: row.product_sku,
  budget_type: row.budget_type,
  budget_alerting: {
    will_alert: row.alerts,
    alert_recipients: (recipients.get(row.id) ?? []).map(({ login }) => login),
  },
});

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
  repositoryName: `${login}/${repository_name}`,
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
