export { variableNameLimits } from './limits.ts';
export { checkedName } from './names.ts';
export {
  type ConfigurationAction,
  type ConfigurationOwner,
  environmentOf,
  eventOriginOf,
  holderOf,
  holderOfRow,
  type JobEnvironment,
  lockHolder,
  ofHolder,
} from './owner.ts';
export { namedFields, selectionFields, type Visibility, wantedSelection } from './schemas.ts';
export { presentSelection, setSelection } from './selection.ts';
export { mayUse, readsOf, visibilityOf } from './store.ts';
