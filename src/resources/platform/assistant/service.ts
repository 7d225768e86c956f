import { StartupError } from '#lib/startup-error.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { assistantReviewLimits } from './limits.ts';
import { type AssistantProvider, noAssistant } from './provider.ts';
import { reviewUsage } from './reviews/provider.ts';
import { assistantReviewer } from './reviews/rules.ts';
import type { AssistantServer } from './reviews/server.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The usage of an assistant that isn't a part of the server. Omitted: that of the assistant's server, if there is one. */
    assistant?: AssistantProvider;
    /** The server that writes reviews. Omitted: no assistant is attached. */
    assistantServer?: (Omit<AssistantServer, 'model'> & { readonly model?: string | undefined }) | undefined;
  }
  interface FamilyServices {
    /** Knows how people use the assistant. */
    readonly assistant: AssistantProvider;
    /** The server that writes reviews; undefined if no assistant is attached. */
    readonly assistantServer: AssistantServer | undefined;
  }
}

/** @throws StartupError for a server without a model */
function serverOf({ settings: { assistantServer: server } }: ServiceParts): AssistantServer | undefined {
  if (!server) return undefined;
  const { model } = server;
  if (!model) throw new StartupError('HEARTH_ASSISTANT_URL needs HEARTH_ASSISTANT_MODEL');
  return { ...server, model };
}

export const assistantServices = {
  assistant: ({ settings }: ServiceParts): AssistantProvider =>
    settings.assistant ?? (settings.assistantServer ? reviewUsage : noAssistant),
  assistantServer: serverOf,
  automaticReviewer: (parts: ServiceParts) =>
    assistantReviewer(serverOf(parts), parts.services.resourceLimits.of(assistantReviewLimits)),
};
