import { path } from '#endpoint/links.ts';
import type { Recorded } from '#events/subscription.ts';
import { presentUser } from '#resources/accounts/index.ts';
import {
  aboutRepository,
  loadAccount,
  type PayloadBuilders,
  type PayloadContext,
  payloadBuilder,
  type WebhookEvent,
} from './payload-builder.ts';
import { isRole, permissionOf } from './roles.ts';

/** A webhook event about a membership of an organization. */
async function buildMembershipEvents(
  context: PayloadContext,
  event: Recorded<'member.added' | 'member.removed'>,
  action: string,
): Promise<readonly WebhookEvent[]> {
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
const collaboratorPayload = (
  context: PayloadContext,
  event: Recorded<'collaborator.added' | 'collaborator.changed' | 'collaborator.removed'>,
  action: string,
  changes: object,
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async () => {
    const user = await loadAccount(context, event.data.user);
    return user ? [{ name: 'member', action, body: { member: presentUser(context.links, user), ...changes } }] : [];
  });

const permission = (role: string | undefined) => (role !== undefined && isRole(role) ? permissionOf(role) : null);

export const memberPayloads: PayloadBuilders = {
  'member.added': payloadBuilder(['organization'], (event, context) => buildMembershipEvents(context, event, 'member_added')),
  'member.removed': payloadBuilder(['organization'], (event, context) => buildMembershipEvents(context, event, 'member_removed')),
  'collaborator.added': payloadBuilder(['member'], (event, context) => {
    const { role } = event.data;
    const changes = { permission: { to: permission(role) }, role_name: { to: role } };
    return collaboratorPayload(context, event, 'added', { changes });
  }),
  'collaborator.changed': payloadBuilder(['member'], (event, context) => {
    const changes = { permission: { from: permission(event.data.from), to: permission(event.data.role) } };
    return collaboratorPayload(context, event, 'edited', { changes });
  }),
  'collaborator.removed': payloadBuilder(['member'], (event, context) => collaboratorPayload(context, event, 'removed', {})),
};
