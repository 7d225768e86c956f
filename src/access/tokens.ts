/** The five kinds of tokens of document 1. */
export const tokenKinds = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'installation'] as const;
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

export const everyToken = tokenKinds;
/** Kinds that act for a person; an installation acts for an app. */
export const userTokens = ['classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user'] as const;
