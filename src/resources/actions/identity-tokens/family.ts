import { family } from '#resources/family.ts';

/**
 * Tokens with which jobs prove their identity to other services. They are requested and verified outside the API; see
 * `server/identity-tokens.ts`.
 */
export const identityTokens = family({ name: 'identity-tokens' });
