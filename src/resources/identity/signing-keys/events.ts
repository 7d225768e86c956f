import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'gpg_key.created': { key: Id<'gpg_keys'> };
    'gpg_key.deleted': { key: Id<'gpg_keys'> };
    'ssh_signing_key.created': { key: Id<'ssh_signing_keys'> };
    'ssh_signing_key.deleted': { key: Id<'ssh_signing_keys'> };
  }
}

export const signingKeyEvents = eventKinds({
  'gpg_key.created': 'no webhook',
  'gpg_key.deleted': 'no webhook',
  'ssh_signing_key.created': 'no webhook',
  'ssh_signing_key.deleted': 'no webhook',
});
