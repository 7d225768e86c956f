export { type BranchRef, branchNotFound, findBranch, heads, shortNameOf } from './find.ts';
export { branch } from './path-resources.ts';
export { findNewName, insertRename } from './store.ts';
