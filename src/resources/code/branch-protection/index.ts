export { appliedRulesOf } from './applied-rules.ts';
export { protectionUrl } from './present.ts';
export {
  type Actor,
  insertProtection,
  listProtectedNames,
  listProtections,
  loadProtections,
  type ProtectionRow,
  protectionSwitches,
  renameProtection,
  setActors,
} from './store.ts';
