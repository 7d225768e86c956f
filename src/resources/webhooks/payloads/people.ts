import { path } from '#endpoint/links.ts';
import type { Recorded } from '#events/subscription.ts';
import { presentUser } from '#resources/accounts/index.ts';
import { aboutRepository, loadAccount, type PayloadContext, type Tellers, type Told, teller } from './payload.ts';
import { isRole, permissionOf } from './roles.ts';

/** A webhook event about a membership of an organization. */
async function tellMembership(
  context: PayloadContext,
  event: Recorded<'member.added' | 'member.removed'>,
  action: string,
): Promise<readonly Told[]> {
  const { links } = context;
  const [user, organization] = await Promise.all([loadAccount(context, event.data.user), loadAccount(context, event.owner)]);
  if (!user || !organization) return [];
  const url = path(`${links.api}/orgs`, organization.login);
  const membership = {
    url: path(`${url}/memberships`, user.login),
    state: 'active',
    role: event.data.role === 'owner' ? 'admin' : 'member',
    direct_membership: true,
    organization_url: url,
    user: presentUser(links, user),
  };
  return [{ name: 'organization', action, body: { membership } }];
}

/** A webhook event about somebody's direct role in a repository. */
const tellCollaborator = (
  context: PayloadContext,
  event: Recorded<'collaborator.added' | 'collaborator.changed' | 'collaborator.removed'>,
  action: string,
  changes: object,
): Promise<readonly Told[]> =>
  aboutRepository(context, event, async () => {
    const user = await loadAccount(context, event.data.user);
    return user ? [{ name: 'member', action, body: { member: presentUser(context.links, user), ...changes } }] : [];
  });

const permission = (role: string | undefined) => (role !== undefined && isRole(role) ? permissionOf(role) : null);

export const peopleTellers: Tellers = {
  'member.added': teller(['organization'], (event, context) => tellMembership(context, event, 'member_added')),
  'member.removed': teller(['organization'], (event, context) => tellMembership(context, event, 'member_removed')),
  'collaborator.added': teller(['member'], (event, context) => {
    const { role } = event.data;
    const changes = { permission: { to: permission(role) }, role_name: { to: role } };
    return tellCollaborator(context, event, 'added', { changes });
  }),
  'collaborator.changed': teller(['member'], (event, context) => {
    const changes = { permission: { from: permission(event.data.from), to: permission(event.data.role) } };
    return tellCollaborator(context, event, 'edited', { changes });
  }),
  'collaborator.removed': teller(['member'], (event, context) => tellCollaborator(context, event, 'removed', {})),
};
