/**
 * The party that a request or a job counts against in all limits: an account with all its tokens, an app, an installation, or the
 * network address of a client that isn't signed in.
 */
export type Caller = { readonly key: string; readonly kind: 'system' | 'signed_in' | 'anonymous' };

/** The server itself: its jobs and commands. */
export const system: Caller = { key: 'system', kind: 'system' };
