import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentOrganization, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { CountedInvitation } from './invitation-store.ts';
import type { Membership, OrganizationInvitation } from './schemas.ts';
import type { Membership as MembershipRow } from './store.ts';

/** Presents a page of memberships. Organizations and users are loaded once for all of them. */
export async function presentMemberships({ db, links }: Scope, rows: readonly MembershipRow[]): Promise<Membership[]> {
  const accounts = await loadAccounts(db, gather(rows, 'organization_id', 'user_id'));
  return rows.map((row) => {
    const organization = getOrThrow(accounts, row.organization_id);
    const user = getOrThrow(accounts, row.user_id);
    const url = path(`${links.api}/orgs`, organization.login);
    return {
      url: path(`${url}/memberships`, user.login),
      state: row.state,
      role: row.role === 'owner' ? 'admin' : 'member',
      direct_membership: true,
      organization_url: url,
      organization: presentOrganization(links, organization, row.description),
      user: presentUser(links, user),
      permissions: {
        can_create_repository: row.state === 'active' && (row.role === 'owner' || row.members_can_create_repositories),
      },
    };
  });
}

export const presentMembership = async (scope: Scope, row: MembershipRow): Promise<Membership> =>
  firstOrNotFound(await presentMemberships(scope, [row]));

/** Presents a page of invitations to organizations. */
export async function presentInvitations(
  { db, links }: Scope,
  rows: readonly CountedInvitation[],
): Promise<OrganizationInvitation[]> {
  const accounts = await loadAccounts(db, gather(rows, 'organization_id', 'invitee_id', 'inviter_id'));
  return rows.map((row) => {
    const organization = getOrThrow(accounts, row.organization_id);
    return {
      id: row.id,
      node_id: nodeId('OrganizationInvitation', row.id),
      login: getOptional(accounts, row.invitee_id)?.login ?? null,
      email: row.email,
      role: row.role === 'owner' ? 'admin' : 'direct_member',
      created_at: timestamp(row.created_at),
      failed_at: timestampOrNull(row.failed_at),
      failed_reason: row.failed_reason,
      inviter: presentUserOrNull(links, getOptional(accounts, row.inviter_id)),
      team_count: row.teams,
      invitation_teams_url: path(`${links.api}/orgs`, organization.login, 'invitations', row.id, 'teams'),
      invitation_source: 'member',
    };
  });
}

export const presentInvitation = async (scope: Scope, row: CountedInvitation): Promise<OrganizationInvitation> =>
  firstOrNotFound(await presentInvitations(scope, [row]));
