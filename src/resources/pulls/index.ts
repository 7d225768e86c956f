export { presentPayloadPull } from './events.ts';
export { enqueueImportedPulls } from './jobs.ts';
export { pull } from './path-resources.ts';
export { presentPulls } from './present.ts';
export { PullRequest } from './schemas.ts';
export { insertImportedPulls, listPullsAfter, loadPulls, type PullRow } from './store.ts';
