import { eventKinds } from '#resources/event-kinds.ts';
import type { WantedSetup } from './setups.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** An organization wants a default setup of code scanning in a repository, or none. */
    'code_scanning_setup.requested': { setup: WantedSetup };
  }
}

export const codeSecurityEvents = eventKinds({ 'code_scanning_setup.requested': 'no webhook' });
