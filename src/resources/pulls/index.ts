export { presentPayloadPull } from './events.ts';
export { pull } from './path-resources.ts';
export { presentPulls } from './present.ts';
export { PullRequest } from './schemas.ts';
export { countReviewComments, findPullForUpdate, loadPulls, type PullRow } from './store.ts';
