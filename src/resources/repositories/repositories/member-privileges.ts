import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { forbidden } from '#lib/refusal.ts';
import { findMembership } from '#resources/identity/members/index.ts';
import { getSettings } from '#resources/identity/organizations/index.ts';

/** The settings of an organization that reserve something for its owners, each with the message for other members. */
const refusals = {
  members_can_change_repo_visibility: 'Only owners of this organization may change the visibility of repositories.',
  members_can_delete_repositories: 'Only owners of this organization may delete or transfer repositories.',
  members_can_fork_private_repositories: 'The repository exists, but forking is disabled.',
  members_can_invite_outside_collaborators: 'Only owners of this organization may invite outside collaborators.',
  members_can_create_pages: 'Only owners of this organization may publish websites.',
  members_can_create_public_pages: 'Only owners of this organization may publish websites that everybody can see.',
  members_can_create_private_pages: 'Only owners of this organization may create websites that are not public.',
} as const;

type MemberPrivilege = keyof typeof refusals;

/**
 * Refuses a caller who isn't an owner of the repository's organization if its settings reserve this for owners. Apps are exempt.
 */
export async function checkMemberPrivilege(
  scope: WriteScope,
  setting: MemberPrivilege,
  { repo, by }: Pick<RepositoryAction, 'repo' | 'by'>,
): Promise<void> {
  if (repo.owner.kind !== 'organization' || by.grant.kind === 'installation') return;
  const settings = await getSettings(scope.tx, repo.owner_id);
  if (settings[setting]) return;
  const membership = await findMembership(scope.tx, repo.owner_id, by.account.id);
  if (membership?.role !== 'owner' || membership.state !== 'active') throw forbidden(refusals[setting]);
}
