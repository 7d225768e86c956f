export { addAssistantUsage } from './assistant-usage.ts';
export { findBudget, loadRecipients as loadBudgetRecipients } from './budget-store.ts';
export { spentBudgetOf } from './rules.ts';
export { assistantProduct } from './skus.ts';
