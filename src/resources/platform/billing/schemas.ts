import { type Static, type TProperties, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { OneOf } from '#lib/shape.ts';
import { billingLimits } from './limits.ts';

export const budgetScopes = ['organization', 'repository', 'multi_user_customer', 'user'] as const;
const budgetTypes = ['BundlePricing', 'ProductPricing', 'SkuPricing'] as const;

const year = Type.Optional(Type.Integer({ minimum: 2000, maximum: 9999 }));
const month = Type.Optional(Type.Integer({ minimum: 1, maximum: 12 }));
const day = Type.Optional(Type.Integer({ minimum: 1, maximum: 31 }));
const word = Type.Optional(Type.String({ maxLength: 255 }));

/** The period of a usage report: a year, a month or a day. Omitted: this year. */
export const UsageTime = Type.Object({ year, month, day });
export type UsageTime = Static<typeof UsageTime>;

export const UsageSummaryFilter = Type.Object({ year, month, day, repository: word, product: word, sku: word });
export const AssistantUsageFilter = Type.Object({ year, month, day, user: word, model: word, product: word });
export type AssistantUsageFilter = Static<typeof AssistantUsageFilter>;

const TimePeriod = Type.Object({
  year: Type.Integer(),
  month: Type.Optional(Type.Integer()),
  day: Type.Optional(Type.Integer()),
});

export const BillingUsageItem = Type.Object({
  date: Type.String(),
  product: Type.String(),
  sku: Type.String(),
  quantity: Type.Number(),
  unitType: Type.String(),
  pricePerUnit: Type.Number(),
  grossAmount: Type.Number(),
  discountAmount: Type.Number(),
  netAmount: Type.Number(),
  organizationName: Type.String(),
  repositoryName: Type.Optional(Type.String()),
});
export type BillingUsageItem = Static<typeof BillingUsageItem>;

export const BillingUsageReport = Type.Object({ usageItems: Type.Array(BillingUsageItem) });

const amounts = {
  unitType: Type.String(),
  pricePerUnit: Type.Number(),
  grossQuantity: Type.Number(),
  grossAmount: Type.Number(),
  discountQuantity: Type.Number(),
  discountAmount: Type.Number(),
  netQuantity: Type.Number(),
  netAmount: Type.Number(),
};

const reportOf = <Named extends TProperties, Item extends TProperties>(named: Named, item: Item) =>
  Type.Object({ timePeriod: TimePeriod, organization: Type.String(), ...named, usageItems: Type.Array(Type.Object(item)) });

export const BillingUsageSummary = reportOf(
  { repository: word, product: word, sku: word },
  { product: Type.String(), sku: Type.String(), ...amounts },
);
export type BillingUsageSummary = Static<typeof BillingUsageSummary>;

/** An assistant's usage by model. */
export const AssistantUsageReport = reportOf(
  { user: word, product: word, model: word },
  { product: Type.String(), sku: Type.String(), model: Type.String(), ...amounts },
);
export type AssistantUsageReport = Static<typeof AssistantUsageReport>;

const BudgetAlerting = Type.Object({ will_alert: Type.Boolean(), alert_recipients: Type.Array(Type.String()) });

const budgetProperties = {
  id: Type.String(),
  budget_scope: OneOf(budgetScopes),
  budget_entity_name: Type.String(),
  budget_amount: Type.Integer(),
  prevent_further_usage: Type.Boolean(),
  budget_product_sku: Type.String(),
  budget_type: OneOf(budgetTypes),
  budget_alerting: BudgetAlerting,
};

/** A budget, as the reply to its creation shows it. */
const NamedBudget = Type.Object(budgetProperties);
export type NamedBudget = Static<typeof NamedBudget>;

/** A budget, with the login of the only user whose usage it limits. */
const withUser = { ...budgetProperties, user: Type.Optional(Type.String()) };
export const Budget = Type.Object(withUser);
export type Budget = Static<typeof Budget>;

/**
 * A budget with this month's consumption, which the public API shows in lists and after changes. A budget for each user has none
 * if no user is named.
 */
export const ConsumedBudget = Type.Object({ ...withUser, consumed_amount: Type.Optional(Type.Number()) });
export type ConsumedBudget = Static<typeof ConsumedBudget>;

export const BudgetList = Type.Object({
  budgets: Type.Array(ConsumedBudget),
  user: Type.Optional(Type.String()),
  effective_budget: Type.Optional(
    Type.Object({ id: Type.String(), budget_amount: Type.Integer(), consumed_amount: Type.Number() }),
  ),
  has_next_page: Type.Boolean(),
  total_count: Type.Integer(),
});
export type BudgetList = Static<typeof BudgetList>;

export const BudgetFilter = Type.Object({
  scope: Type.Optional(
    OneOf(['enterprise', 'organization', 'repository', 'cost_center', 'multi_user_customer', 'user'] as const),
  ),
  user: word,
});
export type BudgetFilter = Static<typeof BudgetFilter>;

export const CreatedBudget = Type.Object({ message: Type.String(), budget: NamedBudget });
export const ChangedBudget = Type.Object({ message: Type.String(), budget: ConsumedBudget });
export const DeletedBudget = Type.Object({ message: Type.String(), id: Type.String() });

const wanted = {
  budget_amount: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  prevent_further_usage: Type.Optional(Type.Boolean()),
  budget_alerting: Type.Optional(
    Type.Object({
      will_alert: Type.Optional(Type.Boolean()),
      alert_recipients: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: fixedValue(billingLimits.recipients) }),
      ),
    }),
  ),
  budget_scope: Type.Optional(OneOf(budgetScopes)),
  budget_entity_name: Type.Optional(Type.String({ maxLength: 255 })),
  budget_type: OneOf(budgetTypes),
  budget_product_sku: Type.String({ minLength: 1, maxLength: 255 }),
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
};

export const NewBudget = Type.Object(wanted, { title: 'Budget' });
export type NewBudget = Static<typeof NewBudget>;

export const BudgetChange = Type.Object(
  {
    ...wanted,
    budget_amount: Type.Optional(wanted.budget_amount),
    budget_type: Type.Optional(wanted.budget_type),
    budget_product_sku: Type.Optional(wanted.budget_product_sku),
  },
  { title: 'Budget' },
);
export type BudgetChange = Static<typeof BudgetChange>;
