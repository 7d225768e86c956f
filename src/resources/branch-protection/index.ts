export { appliedRulesOf } from './applied-rules.ts';
export { protectionUrl } from './present.ts';
export { listProtectedNames, loadProtections, type ProtectionRow, renameProtection } from './store.ts';
