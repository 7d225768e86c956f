export { checkedName } from './names.ts';
export {
  environmentOf,
  holderOf,
  holderOfRow,
  inPlace,
  type JobPlace,
  lockPlace,
  ofHolder,
  type Place,
  type PlaceAction,
} from './place.ts';
export { namedFields, selectionFields, type Visibility, wantedSelection } from './schemas.ts';
export { presentSelection, setSelection } from './selection.ts';
export { mayUse, readsOf, visibilityOf } from './store.ts';
