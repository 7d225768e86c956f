// The slugs of the apps that are part of the server. They are reserved, even before their first use.
import type { KnownClient } from './client-ids.ts';
import type { AppRow } from './store.ts';

export type BuiltIn = Exclude<NonNullable<AppRow['built_in']>, KnownClient>;

export const builtInSlugs: { readonly [Name in BuiltIn]: string } = {
  actions: 'hearth-actions',
  code_scanning: 'hearth-code-scanning',
  assistant: 'hearth-assistant',
  dependency_bot: 'hearth-dependency-bot',
};

/** The login of the bot that acts for the assistant. */
export const assistantLogin = `${builtInSlugs.assistant}[bot]`;

export const isReservedSlug = (slug: string): boolean => Object.values(builtInSlugs).includes(slug);
