export { findEntry, isFile, resolveCommit } from './entries.ts';
export { measureBranch } from './measure.ts';
