export { findCodeOwners } from './find.ts';
export { ownerListsOf, resolveOwners } from './owners.ts';
