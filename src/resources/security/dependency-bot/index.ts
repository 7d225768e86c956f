export { listReadable as listReadableByBot } from './store.ts';
export {
  decodeResult,
  mayChange,
  type UpdateRequest,
  type UpdateResponse,
} from './updates/contract.ts';
export { updateJob, updatesWorkflow, updateWorkflow } from './updates/workflow.ts';
