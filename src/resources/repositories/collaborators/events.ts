import { isRole, type Role } from '#access/roles.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import {
  aboutRepository,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { findAccountById, presentUser } from '#resources/identity/accounts/index.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'collaborator.added': { user: Id<'accounts'>; role: string };
    'collaborator.changed': { user: Id<'accounts'>; role: string; from?: string };
    'collaborator.removed': { user: Id<'accounts'> };
    'collaborator.invited': { user: Id<'accounts'>; role: string };
    'collaborator.invitation_changed': { user: Id<'accounts'>; role: string };
    'collaborator.invitation_canceled': { user: Id<'accounts'> };
    'collaborator.invitation_declined': { user: Id<'accounts'> };
  }
}

const memberEvent = webhookEventType({ name: 'member', permission: 'members:read', hooks: 'all' });

/** A role as one of the three permissions of payloads. */
function payloadPermissionOf(role: Role): 'read' | 'write' | 'admin' {
  if (role === 'triage') return 'read';
  return role === 'maintain' ? 'write' : role;
}

/** A webhook event about a user's direct role in a repository. */
const collaboratorPayload = (
  context: PayloadScope,
  event: Recorded<'collaborator.added' | 'collaborator.changed' | 'collaborator.removed'>,
  action: string,
  changes: object,
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async () => {
    const user = await findAccountById(context.db, event.data.user);
    return user ? [{ type: memberEvent, action, body: { member: presentUser(context.links, user), ...changes } }] : [];
  });

const permissionOrNull = (role: string | undefined) => (role !== undefined && isRole(role) ? payloadPermissionOf(role) : null);

export const collaboratorEvents = eventKinds({
  'collaborator.added': payloadBuilder([memberEvent], (event, context) => {
    const { role } = event.data;
    const changes = { permission: { to: permissionOrNull(role) }, role_name: { to: role } };
    return collaboratorPayload(context, event, 'added', { changes });
  }),
  'collaborator.changed': payloadBuilder([memberEvent], (event, context) => {
    const changes = { permission: { from: permissionOrNull(event.data.from), to: permissionOrNull(event.data.role) } };
    return collaboratorPayload(context, event, 'edited', { changes });
  }),
  'collaborator.removed': payloadBuilder([memberEvent], (event, context) => collaboratorPayload(context, event, 'removed', {})),
  'collaborator.invited': 'no webhook',
  'collaborator.invitation_changed': 'no webhook',
  'collaborator.invitation_canceled': 'no webhook',
  'collaborator.invitation_declined': 'no webhook',
});
