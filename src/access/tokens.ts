/** The five kinds of tokens of document 1. */
const tokenKinds = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'installation'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** A token begins with the prefix of its kind, so that people and secret scanners recognize it (security decision 5). */
export const tokenPrefixes: Record<TokenKind, string> = {
  classic_pat: 'hrp_',
  fine_grained_pat: 'hearth_pat_',
  oauth_app: 'hro_',
  app_user: 'hru_',
  installation: 'hrs_',
};
export const refreshTokenPrefix = 'hrr_';

/** The kinds of credentials that an endpoint may accept: tokens, and the session of a browser. */
export const everyCredential = [...tokenKinds, 'session'] as const;
export type AcceptedCredential = (typeof everyCredential)[number];

/** Kinds that act for a person; an installation acts for an app. */
export const userCredentials = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'session'] as const;

/** The kinds of tokens among accepted credentials, for the API's documentation. */
export const tokensAmong = (credentials: readonly AcceptedCredential[]): TokenKind[] =>
  tokenKinds.filter((kind) => credentials.includes(kind));
