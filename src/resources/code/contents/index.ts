export { type Entry, findEntry, followLink, isFile, resolveCommit, targetOf, trimSlashes } from './entries.ts';
export { languagesOf } from './languages.ts';
export { measureBranch } from './measure.ts';
export { findReadme } from './readme.ts';
export { readSubmodules, submoduleLinks } from './submodules.ts';
