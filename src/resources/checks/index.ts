export { countUnsuccessfulRuns, listLatestNamed } from './store.ts';
