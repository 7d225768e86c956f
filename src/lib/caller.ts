/**
 * The party that a request or a job counts against in all limits: an account with all its tokens, an app, an installation, or the
 * network address of a client that isn't signed in.
 */
export type Caller = {
  readonly key: string;
  readonly kind: 'system' | 'signed_in' | 'anonymous';
  /**
   * The key of the account whose share of the process it uses. Anybody may own many apps, keys and runners, which would otherwise
   * each have a share. Omitted: it has its own.
   */
  readonly share?: string | undefined;
};

/** The key of the share of the process that a caller uses. */
export const shareKeyOf = ({ key, share = key }: Caller): string => share;

/** The server itself: its jobs and commands. */
export const system: Caller = { key: 'system', kind: 'system' };
