export type { CheckConclusion } from './schemas.ts';
export { countUnsuccessfulRuns, type EndedSuite, findEndedSuite } from './store.ts';
