import { family } from '#resources/family.ts';

/**
 * The rows of runner groups: each new organization gets one, and runners of both kinds belong to one. Endpoints for groups are in
 * the family runners, since they depend on repositories and runners.
 */
export const runnerGroups = family({ name: 'runner-groups' });
