export type { UsedAction } from './action-patterns.ts';
export { type ActionsPolicy, loadActionsPolicy } from './policy.ts';
export { listSharing, ownRunnersAllowed } from './store.ts';
