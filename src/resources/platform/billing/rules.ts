import type { OrganizationAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { badRequest, invalid } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { findOwned } from '#resources/repositories/repositories/index.ts';
import {
  type BudgetRow,
  countBudgets,
  findSpentBudget,
  forgetReached,
  insertBudget,
  loadOwners,
  loadRecipients,
  type Named,
  putReached,
  removeBudget,
  setRecipients,
  updateBudget,
} from './budget-store.ts';
import { billingLimits } from './limits.ts';
import { monthOf } from './periods.ts';
import { isSku } from './prices.ts';
import type { BudgetChange, NewBudget } from './schemas.ts';
import { isProduct, type Product, product } from './skus.ts';
import { type DatedUsage, listUsage, type WantedUsage } from './usage-store.ts';

const resource = 'Budget';
const wrong = (field: string, message: string) => invalid(resource, field, 'invalid', message);

const maxBudgets = fixedValue(billingLimits.budgets);
const maxItems = fixedValue(billingLimits.items);

/** The percentages of a budget at which its recipients are notified (the public API's). */
const thresholds = [75, 90, 100] as const;

export async function createBudget(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: NewBudget,
): Promise<Id<'billing_budgets'>> {
  const { org, now } = action;
  await lockOrganization(scope.tx, org.id);
  const subject = await subjectOf(scope.tx, action, wanted);
  const alerting = await alertingOf(scope.tx, action, { will_alert: false, alert_recipients: [], ...wanted.budget_alerting });
  const { total, clash } = await countBudgets(scope.tx, subject);
  if (clash) throw taken();
  if (total >= maxBudgets)
    throw invalid(resource, 'budget_product_sku', 'unprocessable', `An organization can have at most ${maxBudgets} budgets`);
  const id = await insertBudget(scope.tx, {
    ...subject,
    budget_type: wanted.budget_type,
    amount: wanted.budget_amount,
    prevents_usage: wanted.prevent_further_usage ?? false,
    alerts: alerting.alerts,
    created_at: now,
    updated_at: now,
  });
  await setRecipients(scope.tx, id, alerting.recipients);
  await record(scope.tx, { ...inOrganization(action), kind: 'budget.created', data: { budget: id } });
  await recordReachedBudgets(scope, [org.id], now);
  return id;
}

/**
 * Changes the named settings of a budget. After a change of its amount or subject, its thresholds are reported again when
 * reached.
 */
export async function changeBudget(
  scope: WriteScope,
  action: OrganizationAction,
  before: BudgetRow,
  wanted: BudgetChange,
): Promise<void> {
  const { org, now } = action;
  const subject = await subjectOf(scope.tx, action, {
    budget_scope: wanted.budget_scope ?? (before.repository_id === null ? 'organization' : 'repository'),
    budget_entity_name: wanted.budget_entity_name ?? (keepsScope(before, wanted) ? (before.repository_name ?? '') : ''),
    budget_type: wanted.budget_type ?? before.budget_type,
    budget_product_sku: wanted.budget_product_sku ?? before.product_sku,
  });
  if ((await countBudgets(scope.tx, subject, before.id)).clash) throw taken();
  const recipients = (await loadRecipients(scope.tx, [before.id])).get(before.id) ?? [];
  const kept = { will_alert: before.alerts, alert_recipients: recipients.map(({ login }) => login) };
  const alerting = wanted.budget_alerting
    ? await alertingOf(scope.tx, action, { ...kept, ...wanted.budget_alerting })
    : undefined;
  await updateBudget(scope.tx, before.id, {
    ...subject,
    budget_type: wanted.budget_type ?? before.budget_type,
    amount: wanted.budget_amount ?? before.amount,
    prevents_usage: wanted.prevent_further_usage ?? before.prevents_usage,
    alerts: alerting?.alerts ?? before.alerts,
    updated_at: now,
  });
  if (alerting) await setRecipients(scope.tx, before.id, alerting.recipients);
  const isOther =
    (wanted.budget_amount ?? before.amount) !== before.amount ||
    subject.repository_id !== before.repository_id ||
    subject.product_sku !== before.product_sku;
  if (isOther) await forgetReached(scope.tx, before.id);
  await record(scope.tx, { ...inOrganization(action), kind: 'budget.changed', data: { budget: before.id } });
  await recordReachedBudgets(scope, [org.id], now);
}

const keepsScope = ({ repository_id }: BudgetRow, { budget_scope }: BudgetChange): boolean =>
  budget_scope === undefined || (budget_scope === 'repository') === (repository_id !== null);

export async function deleteBudget(scope: WriteScope, action: OrganizationAction, budget: BudgetRow): Promise<void> {
  await removeBudget(scope.tx, budget.id);
  await record(scope.tx, { ...inOrganization(action), kind: 'budget.deleted', data: { budget: budget.id } });
}

const taken = () => invalid(resource, 'budget_product_sku', 'already_exists', 'A budget for this already exists');

type WantedSubject = Pick<NewBudget, 'budget_scope' | 'budget_entity_name' | 'budget_type' | 'budget_product_sku'>;

/**
 * The subject of a budget.
 * @throws Refusal 422 for products that aren't measured, and for a repository of another organization
 */
async function subjectOf(db: Db, { org }: OrganizationAction, wanted: WantedSubject): Promise<Named> {
  const { budget_scope = 'organization', budget_entity_name = '', budget_type } = wanted;
  const product_sku = wanted.budget_product_sku.toLowerCase();
  if (!(budget_type === 'ProductPricing' ? isProduct(product_sku) : isSku(product_sku)))
    throw wrong('budget_product_sku', `${wanted.budget_product_sku} is nothing that is measured here`);
  const named = { organization_id: org.id, product_sku };
  if (budget_scope === 'organization') {
    if (budget_entity_name !== '' && budget_entity_name.toLowerCase() !== org.login.toLowerCase())
      throw wrong('budget_entity_name', 'This is another organization');
    return { ...named, repository_id: null };
  }
  if (budget_entity_name === '') throw invalid(resource, 'budget_entity_name', 'missing_field');
  const name = nameWithin(org.login, budget_entity_name);
  const repository = name === undefined ? undefined : await findOwned(db, org.id, name);
  if (!repository) throw wrong('budget_entity_name', 'The organization has no such repository');
  return { ...named, repository_id: repository.id };
}

/**
 * The name of a repository within its organization. The text may start with the organization's login; undefined if it starts
 * with another one.
 */
export function nameWithin(login: string, text: string): string | undefined {
  const [first = '', name] = text.split('/', 2);
  if (name === undefined) return first;
  return first.toLowerCase() === login.toLowerCase() ? name : undefined;
}

/**
 * The recipients of alerts. Only owners see an organization's spending.
 * @throws Refusal 422 for others, and for alerts without recipients
 */
async function alertingOf(
  db: Db,
  { org }: OrganizationAction,
  { will_alert, alert_recipients }: { will_alert?: boolean; alert_recipients?: readonly string[] },
): Promise<{ alerts: boolean; recipients: Id<'accounts'>[] }> {
  const logins = [...new Set((alert_recipients ?? []).map((login) => login.toLowerCase()))];
  const owners = await loadOwners(db, org.id, logins);
  const stranger = logins.find((login) => !owners.has(login));
  if (stranger !== undefined)
    throw wrong(
      'budget_alerting.alert_recipients',
      `${stranger} is not an owner of the organization, and could not see the alert`,
    );
  if (will_alert && owners.size === 0) throw invalid(resource, 'budget_alerting.alert_recipients', 'missing_field');
  return { alerts: will_alert ?? false, recipients: [...owners.values()] };
}

/** Records the thresholds of organizations' budgets that were newly reached. */
export async function recordReachedBudgets(
  scope: WriteScope,
  organizations: readonly Id<'accounts'>[],
  now: Date,
): Promise<void> {
  if (organizations.length === 0) return;
  for (const { budget, organization, repository, threshold } of await putReached(scope.tx, organizations, {
    month: monthOf(now),
    thresholds,
  }))
    await record(scope.tx, {
      owner: organization,
      repository: repository ?? undefined,
      actor: undefined,
      at: now,
      kind: 'budget.reached',
      data: { budget, threshold },
    });
}

/** Why a repository may use no more of a product; undefined if it may. Only budgets of organizations prevent usage. */
export async function spentBudgetOf(
  db: Db,
  { id, owner_id }: { readonly id: Id<'repositories'>; readonly owner_id: Id<'accounts'> },
  now: Date,
  used: Product = product,
): Promise<string | undefined> {
  const spent = await findSpentBudget(db, { organization: owner_id, repository: id, month: monthOf(now), product: used });
  if (!spent) return undefined;
  const whose = spent.repository_id === null ? 'organization' : 'repository';
  return (
    `The budget of $${spent.amount} for ${spent.product_sku} of this ${whose} is used up for this month, and prevents ` +
    'further usage'
  );
}

/**
 * The items of a report.
 * @throws Refusal 400 if one report would have too many
 */
export async function readUsage(db: Db, organization: Id<'accounts'>, wanted: WantedUsage): Promise<DatedUsage[]> {
  const items = await listUsage(db, organization, wanted, maxItems + 1);
  if (items.length > maxItems) throw badRequest(`There are more than ${maxItems} items: ask for a month or a day`);
  return items;
}
