import type { OrganizationAction } from '#access/action.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { badRequest, invalid } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/identity/accounts/index.ts';
import { findMembership, lockOrganization } from '#resources/identity/members/index.ts';
import { findOwned } from '#resources/repositories/repositories/index.ts';
import {
  type BudgetRow,
  countBudgets,
  findSpentBudget,
  forgetReached,
  type IntendedUse,
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
import type { BudgetChange, NewBudget } from './schemas.ts';
import { bundles, skusOf } from './skus.ts';
import { type DatedUsage, listUsage, type WantedUsage } from './usage-store.ts';

const resource = 'Budget';
const wrong = (field: string, message: string) => invalid(resource, field, 'invalid', message);

const maxBudgets = { others: fixedValue(billingLimits.budgets), users: fixedValue(billingLimits.userBudgets) };
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
  if (subject.scope === 'user' && isAlerting(wanted.budget_alerting))
    throw wrong('budget_alerting', 'There are no alerts for the budget of one user');
  const alerting = await alertingOf(scope.tx, action, { will_alert: false, alert_recipients: [], ...wanted.budget_alerting });
  const { total, clash } = await countBudgets(scope.tx, subject);
  if (clash) throw taken();
  const most = subject.scope === 'user' ? maxBudgets.users : maxBudgets.others;
  if (total >= most) {
    const kind = subject.scope === 'user' ? 'budgets of users' : 'budgets';
    throw invalid(resource, 'budget_product_sku', 'unprocessable', `An organization can have at most ${most} ${kind}`);
  }
  const id = await insertBudget(scope.tx, {
    ...subject,
    budget_type: wanted.budget_type,
    amount: wanted.budget_amount,
    prevents_usage: preventsUsage(subject, wanted),
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
  await lockOrganization(scope.tx, org.id);
  const changed = {
    ...subjectBefore(before, wanted),
    ...wanted,
    budget_type: wanted.budget_type ?? before.budget_type,
    budget_product_sku: wanted.budget_product_sku ?? before.product_sku,
  };
  const subject = await subjectOf(scope.tx, action, changed, before);
  if ((await countBudgets(scope.tx, subject, before.id)).clash) throw taken();
  const alerting = await changedAlerting(scope.tx, action, { before, subject, wanted });
  await updateBudget(scope.tx, before.id, {
    ...subject,
    budget_type: wanted.budget_type ?? before.budget_type,
    amount: wanted.budget_amount ?? before.amount,
    prevents_usage: preventsUsage(subject, wanted, before),
    alerts: alerting?.alerts ?? before.alerts,
    updated_at: now,
  });
  if (alerting) await setRecipients(scope.tx, before.id, alerting.recipients);
  const isOther =
    (wanted.budget_amount ?? before.amount) !== before.amount ||
    subject.scope !== before.scope ||
    subject.repository_id !== before.repository_id ||
    subject.product_sku !== before.product_sku;
  if (isOther) await forgetReached(scope.tx, before.id);
  await record(scope.tx, { ...inOrganization(action), kind: 'budget.changed', data: { budget: before.id } });
  await recordReachedBudgets(scope, [org.id], now);
}

/** What a change keeps of a budget's subject: its name only if its scope stays. */
function subjectBefore({ scope, repository_name, user_login }: BudgetRow, wanted: BudgetChange): Partial<WantedSubject> {
  if ((wanted.budget_scope ?? scope) !== scope) return {};
  if (scope === 'user') return { budget_scope: scope, user: user_login ?? '' };
  return { budget_scope: scope, budget_entity_name: repository_name ?? '' };
}

const isOfUsers = ({ scope }: Pick<Named, 'scope'>): boolean => scope === 'user' || scope === 'multi_user_customer';

/**
 * Whether a budget prevents usage. Budgets of users always do, as in the public API.
 * @throws Refusal 422 if they shouldn't
 */
function preventsUsage(
  subject: Named,
  { prevent_further_usage: wanted }: BudgetChange,
  before?: Pick<BudgetRow, 'prevents_usage'>,
): boolean {
  if (!isOfUsers(subject)) return wanted ?? before?.prevents_usage ?? false;
  if (wanted === false) throw wrong('prevent_further_usage', 'Budgets of users always prevent further usage');
  return true;
}

export async function deleteBudget(scope: WriteScope, action: OrganizationAction, budget: BudgetRow): Promise<void> {
  await removeBudget(scope.tx, budget.id);
  await record(scope.tx, { ...inOrganization(action), kind: 'budget.deleted', data: { budget: budget.id } });
}

const taken = () => invalid(resource, 'budget_product_sku', 'already_exists', 'A budget for this already exists');

type WantedSubject = Pick<
  NewBudget,
  'budget_scope' | 'budget_entity_name' | 'user' | 'budget_type' | 'budget_product_sku' | 'prevent_further_usage'
>;

/**
 * The subject of a budget.
 * @throws Refusal 422 for what isn't measured, and for a repository or a user of another organization
 */
async function subjectOf(db: Db, action: OrganizationAction, wanted: WantedSubject, before?: BudgetRow): Promise<Named> {
  const { org } = action;
  const { budget_scope: scope = 'organization', budget_entity_name: entity = '', user } = wanted;
  const none = { organization_id: org.id, scope, repository_id: null, user_id: null, ...measuredOf(wanted, scope) };
  if (user !== undefined && scope !== 'user') throw wrong('user', 'Only budgets of one user have one');
  if (scope === 'repository') return { ...none, repository_id: await findRepositoryOf(db, action, entity) };
  if (scope === 'user') return { ...none, user_id: await findMember(db, action, { user, entity, before }) };
  if (entity !== '' && entity.toLowerCase() !== org.login.toLowerCase())
    throw wrong('budget_entity_name', 'This is another organization');
  return none;
}

/** What a budget counts: the name of a product, a SKU or a bundle, and its product. */
function measuredOf(
  { budget_type, budget_product_sku }: WantedSubject,
  scope: Named['scope'],
): Pick<Named, 'product' | 'product_sku'> {
  const product_sku = budget_product_sku.toLowerCase();
  const skus = skusOf(budget_type, product_sku);
  const [sku] = skus;
  if (!sku) {
    const there = budget_type === 'BundlePricing' ? `: the bundles are ${bundles.join(' and ')}` : '';
    throw wrong('budget_product_sku', `${budget_product_sku} is nothing that is measured here${there}`);
  }
  if (isOfUsers({ scope }) && !skus.some((one) => one.isOfUsers))
    throw wrong('budget_product_sku', `${budget_product_sku} is not caused by users, who can have no budget for it`);
  return { product: sku.product, product_sku };
}

async function findRepositoryOf(db: Db, { org }: OrganizationAction, entity: string): Promise<Id<'repositories'>> {
  if (entity === '') throw invalid(resource, 'budget_entity_name', 'missing_field');
  const name = nameWithin(org.login, entity);
  const repository = name === undefined ? undefined : await findOwned(db, org.id, name);
  if (!repository) throw wrong('budget_entity_name', 'The organization has no such repository');
  return repository.id;
}

/**
 * The member whose usage a budget limits. Its entity may be named, too: as the member, as in replies, or the organization. A
 * budget keeps its user after they have left.
 */
async function findMember(
  db: Db,
  { org }: OrganizationAction,
  { user, entity, before }: { user: string | undefined; entity: string; before: BudgetRow | undefined },
): Promise<Id<'accounts'>> {
  if (user === undefined || user === '') throw invalid(resource, 'user', 'missing_field');
  if (!['', org.login, user].some((name) => name.toLowerCase() === entity.toLowerCase()))
    throw wrong('budget_entity_name', 'This is neither the user nor the organization');
  const [account] = await findUsersByLogin(db, [user]);
  if (account && account.id === before?.user_id) return account.id;
  const membership = account && (await findMembership(db, org.id, account.id));
  if (!account || membership?.state !== 'active') throw wrong('user', `${user} is not a member of the organization`);
  return account.id;
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
): Promise<Alerting> {
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

type Alerting = { readonly alerts: boolean; readonly recipients: readonly Id<'accounts'>[] };

const isAlerting = ({ will_alert, alert_recipients = [] }: NonNullable<NewBudget['budget_alerting']> = {}): boolean =>
  will_alert === true || alert_recipients.length > 0;

/** The new alerting of a budget; undefined if it stays. A budget of one user has none, whatever is wanted (the public API's). */
async function changedAlerting(
  tx: Tx,
  action: OrganizationAction,
  { before, subject, wanted }: { before: BudgetRow; subject: Named; wanted: BudgetChange },
): Promise<Alerting | undefined> {
  if (subject.scope === 'user') return { alerts: false, recipients: [] };
  if (!wanted.budget_alerting) return undefined;
  const recipients = (await loadRecipients(tx, [before.id])).get(before.id) ?? [];
  const kept = { will_alert: before.alerts, alert_recipients: recipients.map(({ login }) => login) };
  return alertingOf(tx, action, { ...kept, ...wanted.budget_alerting });
}

/** Records the thresholds of organizations' budgets that were newly reached. */
export async function recordReachedBudgets(
  scope: WriteScope,
  organizations: readonly Id<'accounts'>[],
  now: Date,
): Promise<void> {
  if (organizations.length === 0) return;
  const reached = await putReached(scope.tx, organizations, { month: monthOf(now), thresholds });
  await recordEach(scope.tx, reached, ({ budget, organization, repository, threshold, user }) => ({
    owner: organization,
    repository: repository ?? undefined,
    actor: undefined,
    at: now,
    kind: 'budget.reached',
    data: { budget, threshold, ...(user === null ? {} : { user }) },
  }));
}

/** Why usage may not begin; undefined if it may. Only budgets of organizations prevent usage. */
export async function spentBudgetOf(db: Db, intended: IntendedUse, now: Date): Promise<string | undefined> {
  const spent = await findSpentBudget(db, { ...intended, month: monthOf(now) });
  if (!spent) return undefined;
  const whose = isOfUsers(spent) ? (spent.user_login ?? 'each user') : `this ${spent.scope}`;
  return (
    `The budget of $${spent.amount} for ${spent.product_sku} of ${whose} is used up for this month, and prevents ` +
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
