import { eventKinds } from '#resources/event-kinds.ts';
import type { SelectionMode } from '#resources/repositories/repository-selections/index.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'immutable_releases.changed': { enforced: SelectionMode };
    'immutable_releases.enabled': Record<never, never>;
    'immutable_releases.disabled': Record<never, never>;
  }
}

export const immutableReleaseEvents = eventKinds({
  'immutable_releases.changed': 'no webhook',
  'immutable_releases.enabled': 'no webhook',
  'immutable_releases.disabled': 'no webhook',
});
