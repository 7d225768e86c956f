export { countStates } from './store.ts';
