import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** The template of a repository, or of an organization for all repositories that follow it. */
    'oidc_subject.changed': { use_default?: boolean; include_claim_keys?: string[]; use_immutable_subject?: boolean };
    'oidc_property.included': { property_name: string };
    'oidc_property.excluded': { property_name: string };
  }
}

export const actionsOidcEvents = eventKinds({
  'oidc_subject.changed': 'no webhook',
  'oidc_property.included': 'no webhook',
  'oidc_property.excluded': 'no webhook',
});
