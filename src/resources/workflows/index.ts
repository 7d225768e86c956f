export { type FoundFile, findWorkflowFile, listWorkflowFiles, readWorkflowFile } from './files.ts';
export { listWaitingFor, putWorkflow, takeRunNumber, type WorkflowRow } from './store.ts';
