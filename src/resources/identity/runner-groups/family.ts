import { family } from '#resources/family.ts';

/**
 * The rows of groups of runners: new organizations have one at once, and runners of both kinds are in one. What people do with
 * groups is in the family runners, since that depends on repositories and runners.
 */
export const runnerGroups = family({ name: 'runner-groups' });
