export { branchNotFound } from './not-found.ts';
export { branch } from './path-resources.ts';
export { findNewName, insertRename } from './store.ts';
