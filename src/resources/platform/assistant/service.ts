import type { ServiceParts } from '#resources/service-parts.ts';
import { type AssistantProvider, noAssistant } from './provider.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The assistant that is attached. Omitted: none. */
    assistant?: AssistantProvider;
  }
  interface FamilyServices {
    /** The assistant that is attached, which tells how it is used. */
    readonly assistant: AssistantProvider;
  }
}

export const makeAssistant = ({ settings }: ServiceParts): AssistantProvider => settings.assistant ?? noAssistant;
