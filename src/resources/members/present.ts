import type { Context } from '#endpoint/context.ts';
import { path } from '#endpoint/links.ts';
import { gather, getOrThrow } from '#lib/collections.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { loadAccounts, presentOrganization, presentUser } from '#resources/accounts/index.ts';
import type { Membership } from './schemas.ts';
import type { MembershipWithSettings } from './store.ts';

/** Memberships of a whole page: organizations and people are loaded once for all of them. */
export async function presentMemberships({ db, links }: Context, rows: readonly MembershipWithSettings[]): Promise<Membership[]> {
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

/** One membership. */
export const presentMembership = async (context: Context, row: MembershipWithSettings): Promise<Membership> =>
  firstOrNotFound(await presentMemberships(context, [row]));
