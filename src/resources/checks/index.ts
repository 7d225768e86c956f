export type { CheckConclusion } from './schemas.ts';
export { countUnsuccessfulRuns, type EndedSuite, findEndedSuite, listLatestNamed } from './store.ts';
