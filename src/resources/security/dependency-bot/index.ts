export {
  decodeResult,
  mayChange,
  type UpdateRequest,
  type UpdateResponse,
} from './updates/contract.ts';
export { updateJob, updateWorkflow } from './updates/workflow.ts';
