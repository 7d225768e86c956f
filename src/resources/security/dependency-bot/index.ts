export { type BotConfig, type ConfigProblem, configPaths, type UpdateEntry } from './config/config.ts';
export { directoriesOf, manifestFolders } from './config/directories.ts';
export { parseConfig } from './config/parse.ts';
export { nextTime } from './config/schedule.ts';
export { botLimits } from './limits.ts';
export { countReadable as countReadableByBot, listReadable as listReadableByBot } from './store.ts';
export {
  decodeResult,
  mayChange,
  RequestRefused,
  type UpdateRequest,
  type UpdateResponse,
  updatedEcosystems,
} from './updates/contract.ts';
export { updateJob, updatesWorkflow, updateWorkflow } from './updates/workflow.ts';
