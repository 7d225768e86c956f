import { eventKinds, payloadBuilder } from '#resources/event-kinds.ts';
import { organizationEvent } from '#resources/identity/members/index.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'organization.created': Record<string, never>;
    'organization.updated': { login?: string };
    'organization.deleted': { login: string };
  }
}

export const organizationEvents = eventKinds({
  'organization.created': 'no webhook',
  'organization.updated': 'no webhook',
  'organization.deleted': payloadBuilder([organizationEvent], async () => [
    { type: organizationEvent, action: 'deleted', body: {} },
  ]),
});
