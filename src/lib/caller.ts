/**
 * For whom a request or a job works. What the server has few of (places, memory, time) is shared between callers: an account over all
 * its tokens, an app, an installation, or the network address of who isn't signed in.
 */
export type Caller = { readonly key: string; readonly kind: 'system' | 'signed_in' | 'anonymous' };

/** The server itself: its jobs and commands. */
export const system: Caller = { key: 'system', kind: 'system' };
