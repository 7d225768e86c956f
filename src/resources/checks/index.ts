export { loadPullsOfHeads } from './present.ts';
export { type CheckConclusion, PullRequestMinimal, SimpleCommit } from './schemas.ts';
export { countUnsuccessfulRuns, type EndedSuite, findEndedSuite, listLatestNamed } from './store.ts';
