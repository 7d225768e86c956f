import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'budget.created': { budget: Id<'billing_budgets'> };
    'budget.changed': { budget: Id<'billing_budgets'> };
    'budget.deleted': { budget: Id<'billing_budgets'> };
    /**
     * A threshold of a budget was reached, in percent: by the user, if the budget is for each user. The repository is the one
     * that used most of it.
     */
    'budget.reached': { budget: Id<'billing_budgets'>; threshold: number; user?: Id<'accounts'> };
  }
}

export const billingEvents = eventKinds({
  'budget.created': 'no webhook',
  'budget.changed': 'no webhook',
  'budget.deleted': 'no webhook',
  'budget.reached': 'no webhook',
});
