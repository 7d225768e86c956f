import type { Id } from '#lib/id.ts';
import type { Snapshot } from '#lib/snapshot.ts';
import { eventKinds } from '#resources/event-kinds.ts';
import type { ProtectionRow } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'branch_protection.created': { protection: Id<'branch_protections'> };
    'branch_protection.edited': { protection: Id<'branch_protections'>; was: Snapshot<ProtectionRow> };
    'branch_protection.deleted': { was: Snapshot<ProtectionRow> };
  }
}

export const branchProtectionEvents = eventKinds({
  'branch_protection.created': 'no webhook',
  'branch_protection.edited': 'no webhook',
  'branch_protection.deleted': 'no webhook',
});
