import type { Policy } from '#access/policy.ts';

/** Who reads issues: whoever reads the repository. */
export const readsIssues = { permission: 'issues:read', scopes: ['repo'], role: 'read', public: true } as const satisfies Policy;

/** Who opens issues and comments: whoever reads the repository and is signed in. What they may say further is the rules'. */
export const writesIssues = { permission: 'issues:write', scopes: ['repo'], role: 'read' } as const satisfies Policy;

/** Who writes what pull requests have alike: comments, reactions. */
export const writesEither = {
  permission: { anyOf: ['issues:write', 'pull_requests:write'] },
  scopes: ['repo'],
  role: 'read',
} as const satisfies Policy;

/** Who labels and assigns (document 3 lets either permission serve, since pull requests are labelled and assigned alike). */
export const sortsIssues = {
  permission: { anyOf: ['issues:write', 'pull_requests:write'] },
  scopes: ['repo'],
  role: 'triage',
} as const satisfies Policy;

/** Who reads what hangs on issues and pull requests alike. */
export const readsEither = {
  permission: { anyOf: ['issues:read', 'pull_requests:read'] },
  scopes: ['repo'],
  role: 'read',
  public: true,
} as const satisfies Policy;
