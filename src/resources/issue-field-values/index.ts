export { type HeldValue, loadFieldValues } from './store.ts';
export { told, type Value } from './value.ts';
