export { findBudget, loadRecipients as loadBudgetRecipients } from './budget-store.ts';
export { spentBudgetOf } from './rules.ts';
