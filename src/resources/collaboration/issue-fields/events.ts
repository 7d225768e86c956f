import type { DeletedRow } from '#events/kinds.ts';
import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'issue_field.created': { field: Id<'issue_fields'> };
    /** `options`: the former names of the options. */
    'issue_field.edited': {
      field: Id<'issue_fields'>;
      from: { name?: string; description?: string | null; visibility?: string; options?: string[] };
    };
    'issue_field.deleted': { name: string; was: DeletedRow<'issue_fields'> };
  }
}

export const issueFieldEvents = eventKinds({
  'issue_field.created': 'no webhook',
  'issue_field.edited': 'no webhook',
  'issue_field.deleted': 'no webhook',
});
