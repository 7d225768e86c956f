export { type CalledFiles, readCalledFiles } from './called-files.ts';
export { addressOf } from './contexts.ts';
export { type HeadCommit, headCommitOf } from './head-commit.ts';
export { findIdentity, identityPath, type JobIdentity } from './identity.ts';
export { artifactGroupOf, writeLog } from './logs.ts';
export { endJobsOf, returnJob } from './lost.ts';
export { workflowRun } from './path-resources.ts';
export { readsLogs } from './policies.ts';
export type { ProgressContext } from './progress.ts';
export { type FoundJob, queueKeyOf, takeJobs } from './queue.ts';
export { listWaitingForHosted } from './queue-store.ts';
export { createRun, type NewRun } from './runs.ts';
export { findJobOfToken, readableRefs } from './runtime-token.ts';
export type { SecretMask } from './secret-mask.ts';
export { type JobRow, loadJobs, loadRuns, type RunSummary } from './store.ts';
export { loadSecretMask, makeTask, type Task, TaskProblem } from './task.ts';
export {
  abandonJob,
  findJobOf,
  findRunOf,
  noteState,
  type ReportedResult,
  type ReportedState,
  type ReportedStep,
} from './updates.ts';
export { actionsPath, findSharedActions } from './used-actions.ts';
export { explainJob, type JobExplanation } from './waiting.ts';
export { countOpenJobs } from './waiting-store.ts';
