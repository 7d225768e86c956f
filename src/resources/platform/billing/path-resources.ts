import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { findBudgetForUpdate, selectBudget } from './budget-store.ts';

/** A budget of an organization. Changes lock the organization first, since they depend on its other budgets. */
export const budget = pathResource({
  name: 'budget',
  words: { budget_id: idOf('billing_budgets') },
  below: 'org',
  query: ({ db, at }, { budget_id }) => selectBudget(db, at.org.id, budget_id),
  async lock(tx, at) {
    await lockOrganization(tx, at.org.id);
    return findBudgetForUpdate(tx, at.budget);
  },
});
