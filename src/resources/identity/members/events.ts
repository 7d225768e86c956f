import { path } from '#endpoint/links.ts';
import type { DeletedRow } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import { eventKinds, type PayloadScope, payloadBuilder, type WebhookEvent, webhookEventType } from '#resources/event-kinds.ts';
import { findAccountById, presentUser } from '#resources/identity/accounts/index.ts';
import { countInvitationTeams } from './invitation-store.ts';
import { presentInvitation } from './present.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'member.invited': { invitation: DeletedRow<'organization_invitations'> };
    'member.added': { user: Id<'accounts'>; role: string };
    'member.changed': { user: Id<'accounts'>; role: string };
    'member.removed': { user: Id<'accounts'>; role?: string };
    'member.invitation_canceled': { invitation: Id<'organization_invitations'> };
    'member.invitation_failed': { invitation: Id<'organization_invitations'> };
    'member.publicized': { user: Id<'accounts'> };
    'member.concealed': { user: Id<'accounts'> };
  }
}

/** Changes of an organization, and of its members. */
export const organizationEvent = webhookEventType({ name: 'organization', permission: 'members:read', hooks: 'organizations' });

/** A webhook event about a membership of an organization. */
async function buildMembershipEvents(
  context: PayloadScope,
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

/** An invitation in its original state. It may have been accepted since. */
async function buildInvited(
  context: PayloadScope,
  { owner, data }: Recorded<'member.invited'>,
): Promise<readonly WebhookEvent[]> {
  const { db, links } = context;
  const row = revived(data.invitation, ['created_at', 'failed_at']);
  const [user, organization, teams] = await Promise.all([
    findAccountById(db, row.invitee_id ?? undefined),
    findAccountById(db, owner),
    countInvitationTeams(db, row.id),
  ]);
  if (!organization || (row.invitee_id !== null && !user)) return [];
  const invitation = await presentInvitation(context, { ...row, teams });
  return [
    {
      type: organizationEvent,
      action: 'member_invited',
      body: { invitation, ...(user ? { user: presentUser(links, user) } : {}) },
    },
  ];
}

export const memberEvents = eventKinds({
  'member.invited': payloadBuilder([organizationEvent], (event, context) => buildInvited(context, event)),
  'member.added': payloadBuilder([organizationEvent], (event, context) => buildMembershipEvents(context, event, 'member_added')),
  'member.removed': payloadBuilder([organizationEvent], (event, context) =>
    buildMembershipEvents(context, event, 'member_removed'),
  ),
  'member.changed': 'no webhook',
  'member.invitation_canceled': 'no webhook',
  'member.invitation_failed': 'no webhook',
  'member.publicized': 'no webhook',
  'member.concealed': 'no webhook',
});
