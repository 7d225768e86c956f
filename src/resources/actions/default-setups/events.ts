import { eventKinds } from '#resources/event-kinds.ts';
import type { AnalysedProduct } from '#resources/repositories/repository-security/index.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'default_setup.changed': { product: AnalysedProduct; state: 'configured' | 'not-configured' };
  }
}

export const defaultSetupEvents = eventKinds({ 'default_setup.changed': 'no webhook' });
