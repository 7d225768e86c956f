export { type FoundFile, findWorkflowFile, listWorkflowFiles, readWorkflowFile, requireWorkflowFiles } from './files.ts';
export { workflow } from './path-resources.ts';
export { presentWorkflow, workflowUrl } from './present.ts';
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
