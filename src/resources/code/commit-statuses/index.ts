export { countStates, listLatestOfContexts } from './store.ts';
