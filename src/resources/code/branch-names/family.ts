import { family } from '#resources/family.ts';

/** Branches by their present and former names, for the families that have them in their paths. */
export const branchNames = family({ name: 'branch-names' });
