import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'migration.started': { migration: Id<'migrations'> };
    'migration.exported': { migration: Id<'migrations'> };
    'migration.failed': { migration: Id<'migrations'> };
    'migration.archive_deleted': { migration: Id<'migrations'> };
    'migration.repository_unlocked': { migration: Id<'migrations'> };
  }
}

export const migrationEvents = eventKinds({
  'migration.started': 'no webhook',
  'migration.exported': 'no webhook',
  'migration.failed': 'no webhook',
  'migration.archive_deleted': 'no webhook',
  'migration.repository_unlocked': 'no webhook',
});
