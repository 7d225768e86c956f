export { countUnsuccessfulRuns } from './store.ts';
