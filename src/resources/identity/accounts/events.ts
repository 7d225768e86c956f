import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'email.added': { emails: Id<'email_addresses'>[] };
    'email.removed': { emails: Id<'email_addresses'>[] };
    'email.verified': { email: Id<'email_addresses'> };
    'email.visibility_changed': { visibility: 'public' | 'private' };
    'public_key.created': { key: Id<'public_keys'> };
    'public_key.deleted': { key: Id<'public_keys'> };
    'user.created': Record<string, never>;
    'user.impersonated': Record<string, never>;
    /** `reason`: what the administrator gave. */
    'user.suspended': { reason?: string };
    'user.unsuspended': Record<string, never>;
  }
}

export const accountEvents = eventKinds({
  'email.added': 'no webhook',
  'email.removed': 'no webhook',
  'email.verified': 'no webhook',
  'email.visibility_changed': 'no webhook',
  'public_key.created': 'no webhook',
  'public_key.deleted': 'no webhook',
  'user.created': 'no webhook',
  'user.impersonated': 'no webhook',
  'user.suspended': 'no webhook',
  'user.unsuspended': 'no webhook',
});
