export { findEntry, isFile, resolveCommit } from './entries.ts';
export { languagesOf } from './languages.ts';
export { measureBranch } from './measure.ts';
