import type { InteractionGroup } from '#access/interaction-limits.ts';
import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';
import type { CreationCap } from './schemas.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'interaction_limit.set': { limit: InteractionGroup; expires_at: string };
    'interaction_limit.removed': { limit: InteractionGroup };
    'pull_request_cap.changed': CreationCap;
    'pull_request_cap.bypass_added': { user: Id<'accounts'> };
    'pull_request_cap.bypass_removed': { user: Id<'accounts'> };
  }
}

export const interactionLimitEvents = eventKinds({
  'interaction_limit.set': 'no webhook',
  'interaction_limit.removed': 'no webhook',
  'pull_request_cap.changed': 'no webhook',
  'pull_request_cap.bypass_added': 'no webhook',
  'pull_request_cap.bypass_removed': 'no webhook',
});
