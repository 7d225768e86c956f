export {
  FilesTakeLong,
  type FoundFile,
  findWorkflowFile,
  listWorkflowFiles,
  type ReadingTime,
  readingTimeWhere,
  readWorkflowFile,
  readWorkflowFiles,
  requireWorkflowFiles,
} from './files.ts';
export { workflowLimits } from './limits.ts';
export { workflow } from './path-resources.ts';
export { presentWorkflow, workflowUrl } from './present.ts';
export { isRunnable } from './rules.ts';
export { Workflow } from './schemas.ts';
export {
  listScheduled,
  listWaitingFor,
  loadWorkflows,
  passScheduled,
  putWorkflow,
  takeRunNumber,
  type WorkflowRow,
} from './store.ts';
