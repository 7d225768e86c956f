import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'private_registry.created': { registry: Id<'private_registries'> };
    'private_registry.changed': { registry: Id<'private_registries'> };
    'private_registry.deleted': { name: string };
    'private_registry.workflow_access_changed': { enabled: boolean };
    'private_registry.key_rotated': { key: Id<'encryption_keys'> };
  }
}

export const privateRegistryEvents = eventKinds({
  'private_registry.created': 'no webhook',
  'private_registry.changed': 'no webhook',
  'private_registry.deleted': 'no webhook',
  'private_registry.workflow_access_changed': 'no webhook',
  'private_registry.key_rotated': 'no webhook',
});
