import { readsActions } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';

/** Logs require signing in, even for public repositories (the public API's rule). */
export const readsLogs = {
  scopes: readsActions.scopes,
  role: readsActions.role,
  permission: readsActions.permission,
} as const satisfies Policy;
