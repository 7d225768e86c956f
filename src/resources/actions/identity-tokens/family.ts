import { family } from '#resources/family.ts';

/**
 * Tokens by which jobs prove to others who they are. Who asks for them and who checks them does so outside the API; see
 * `server/identity-tokens.ts`.
 */
export const identityTokens = family({ name: 'identity-tokens' });
