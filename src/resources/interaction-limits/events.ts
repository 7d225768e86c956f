import type { InteractionGroup } from '#access/interaction-limits.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'interaction_limit.set': { limit: InteractionGroup; expires_at: string };
    'interaction_limit.removed': { limit: InteractionGroup };
  }
}

export const interactionLimitEvents = eventKinds({
  'interaction_limit.set': 'no webhook',
  'interaction_limit.removed': 'no webhook',
});
