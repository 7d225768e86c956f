export { addAssistantUsage } from './assistant-usage.ts';
export { findBudget, type IntendedUse, loadRecipients as loadBudgetRecipients } from './budget-store.ts';
export { countUses } from './counting.ts';
export { spentBudgetOf } from './rules.ts';
export { type BudgetSubject, isPriced } from './skus.ts';
