export { branchNotFound } from './not-found.ts';
export { branch, branchWords, getNamedBranch } from './path-resources.ts';
export { findNewName, insertRename } from './store.ts';
