import type { Policy } from '#access/policy.ts';

/** Reading issues. */
export const readsIssues = { permission: 'issues:read', scopes: ['repo'], role: 'read', public: true } as const satisfies Policy;

/** Opening issues and commenting on them: every signed-in reader may. What only some may set is decided in rules.ts. */
export const writesIssues = { permission: 'issues:write', scopes: ['repo'], role: 'read' } as const satisfies Policy;

/** Writing what pull requests have too: comments, reactions. */
export const writesEither = {
  permission: { anyOf: ['issues:write', 'pull_requests:write'] },
  scopes: ['repo'],
  role: 'read',
} as const satisfies Policy;

/** Labelling and assigning. Since pull requests are labelled and assigned too, document 3 accepts either permission. */
export const sortsIssues = {
  permission: { anyOf: ['issues:write', 'pull_requests:write'] },
  scopes: ['repo'],
  role: 'triage',
} as const satisfies Policy;

/** Reading what issues and pull requests have both. */
export const readsEither = {
  permission: { anyOf: ['issues:read', 'pull_requests:read'] },
  scopes: ['repo'],
  role: 'read',
  public: true,
} as const satisfies Policy;
