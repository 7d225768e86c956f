export { artifactLimits } from './limits.ts';
export { beginArtifact, deleteArtifact, fileOf, finishArtifact, headersOf, isExpired } from './rules.ts';
export { findArtifact, findArtifactOfJob, listReadable, type WholeArtifact } from './store.ts';
