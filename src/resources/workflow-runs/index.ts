export { unknownAddress } from './contexts.ts';
export { type HeadCommit, headCommitOf } from './head-commit.ts';
export { writeLog } from './logs.ts';
export type { ProgressContext } from './progress.ts';
export { takeJob } from './queue.ts';
export { createRun, type NewRun } from './runs.ts';
export { type JobRow, loadRuns } from './store.ts';
export { makeTask, maskOf, type Task } from './task.ts';
export { abandonJob, findJobOf, findRunOf, noteState, type ToldResult, type ToldState, type ToldStep } from './updates.ts';
