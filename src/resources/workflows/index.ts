export { type FoundFile, findWorkflowFile, listWorkflowFiles, readWorkflowFile } from './files.ts';
export { listScheduled, listWaitingFor, passScheduled, putWorkflow, takeRunNumber, type WorkflowRow } from './store.ts';
