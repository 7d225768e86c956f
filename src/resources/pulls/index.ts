export { presentPayloadPull } from './events.ts';
export { findModifiable, mayModifySome } from './modifying.ts';
export { pull } from './path-resources.ts';
export { presentPulls } from './present.ts';
export { withdrawRequest } from './reviewers.ts';
export { PullRequest } from './schemas.ts';
export { loadPulls, type PullRow } from './store.ts';
