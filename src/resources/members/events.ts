import { path } from '#endpoint/links.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { findAccountById, presentUser } from '#resources/accounts/index.ts';
import { eventKinds, type PayloadContext, payloadBuilder, type WebhookEvent, webhookEventType } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'member.invited': { user: Id<'accounts'>; role: string };
    'member.added': { user: Id<'accounts'>; role: string };
    'member.changed': { user: Id<'accounts'>; role: string };
    'member.removed': { user: Id<'accounts'>; role?: string };
    'member.invitation_canceled': { user: Id<'accounts'> };
    'member.publicized': { user: Id<'accounts'> };
    'member.concealed': { user: Id<'accounts'> };
  }
}

const organizationEvent = webhookEventType({ name: 'organization', permission: 'members:read', hooks: 'organizations' });

/** A webhook event about a membership of an organization. */
async function buildMembershipEvents(
  context: PayloadContext,
  event: Recorded<'member.added' | 'member.removed'>,
  action: string,
): Promise<readonly WebhookEvent[]> {
  const { db, links } = context;
  const [user, organization] = await Promise.all([findAccountById(db, event.data.user), findAccountById(db, event.owner)]);
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
  return [{ type: organizationEvent, action, body: { membership } }];
}

export const memberEvents = eventKinds({
  'member.added': payloadBuilder([organizationEvent], (event, context) => buildMembershipEvents(context, event, 'member_added')),
  'member.removed': payloadBuilder([organizationEvent], (event, context) =>
    buildMembershipEvents(context, event, 'member_removed'),
  ),
  'member.invited': 'no webhook',
  'member.changed': 'no webhook',
  'member.invitation_canceled': 'no webhook',
  'member.publicized': 'no webhook',
  'member.concealed': 'no webhook',
});
