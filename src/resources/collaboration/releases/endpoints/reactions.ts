// Reactions to releases.
import { readsContents } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { reactionEndpoints } from '#resources/collaboration/reactions/index.ts';
import { release, releaseReaction } from '../path-resources.ts';
import { reactableRelease, subjectOfRelease } from '../reactions.ts';

const ofRelease = reactionEndpoints({ subjectOf: subjectOfRelease, reactable: reactableRelease });

/** Everybody who reads a release may react to it. */
const reacts = { scopes: ['repo'], role: 'read', permission: 'contents:write' } as const satisfies Policy;

export const listReleaseReactions = endpoint({
  ...ofRelease.list,
  id: 'reactions/list-for-release',
  path: '/repos/{owner}/{repo}/releases/{release_id}/reactions',
  resources: [release],
  summary: 'List reactions for a release',
  access: readsContents,
});

export const createReleaseReaction = endpoint({
  ...ofRelease.create,
  id: 'reactions/create-for-release',
  path: '/repos/{owner}/{repo}/releases/{release_id}/reactions',
  resources: [release],
  summary: 'Create reaction for a release',
  access: { ...reacts, interaction: true },
});

export const deleteReleaseReaction = endpoint({
  ...ofRelease.delete,
  id: 'reactions/delete-for-release',
  path: '/repos/{owner}/{repo}/releases/{release_id}/reactions/{reaction_id}',
  resources: [releaseReaction],
  summary: 'Delete a release reaction',
  access: reacts,
});
