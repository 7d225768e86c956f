export { beginAppRuns, changeAppRun, createAppRuns, putAppSuite } from './app-checks.ts';
export { checkLimits } from './limits.ts';
export { loadPullsOfHeads } from './present.ts';
export { annotationLevels, type CheckConclusion, type NewAnnotation, PullRequestMinimal, SimpleCommit } from './schemas.ts';
export {
  countUnsuccessfulRuns,
  type EndedSuite,
  findEndedSuite,
  listAnnotationsOf,
  listLatestNamed,
  reserveRunIds,
} from './store.ts';
