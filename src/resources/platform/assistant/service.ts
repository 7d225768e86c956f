import type { ServiceParts } from '#resources/service-parts.ts';
import { type AssistantProvider, noAssistant } from './provider.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The attached assistant. Omitted if the server has no assistant. */
    assistant?: AssistantProvider;
  }
  interface FamilyServices {
    /** The attached assistant, which reports its usage. */
    readonly assistant: AssistantProvider;
  }
}

export const makeAssistant = ({ settings }: ServiceParts): AssistantProvider => settings.assistant ?? noAssistant;
