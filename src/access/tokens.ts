/** The five token kinds of document 1, and the JSON web token by which an app speaks for itself. */
export const tokenKinds = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'installation'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** Prefixes tell the kinds apart at sight, in logs and in secret scanners (security decision 5). */
export const tokenPrefixes: Record<TokenKind, string> = {
  classic_pat: 'hrp_',
  fine_grained_pat: 'hearth_pat_',
  oauth_app: 'hro_',
  app_user: 'hru_',
  installation: 'hrs_',
};
export const refreshTokenPrefix = 'hrr_';

export const everyToken = tokenKinds;
/** Kinds that act for a person; an installation acts for an app. */
export const userTokens = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user'] as const;
/** Kinds that carry scopes. */
export const scopedTokens = ['classic_pat', 'oauth_app'] as const;

export const hasScopes = (kind: TokenKind): kind is (typeof scopedTokens)[number] =>
  kind === 'classic_pat' || kind === 'oauth_app';
