// What is asked of callers by the endpoints of several families.
import type { Policy } from './policy.ts';

const inRepository = { scopes: ['repo'], role: 'read' } as const;

/** Reading what a repository tells of itself. */
export const readsMetadata = { ...inRepository, permission: 'metadata:read', public: true } as const satisfies Policy;

/** Reading files, commits and refs. */
export const readsContents = { ...inRepository, permission: 'contents:read', public: true } as const satisfies Policy;

/** Changing them. */
export const writesContents = { ...inRepository, permission: 'contents:write', role: 'write' } as const satisfies Policy;

/** Reading issues. */
export const readsIssues = { ...inRepository, permission: 'issues:read', public: true } as const satisfies Policy;

/** Changing issues. What only some may change is decided by the rules. */
export const writesIssues = { ...inRepository, permission: 'issues:write' } as const satisfies Policy;

/** Opening issues: every signed-in reader may whom no limit on interactions excludes. */
export const opensIssues = { ...writesIssues, interaction: true } as const satisfies Policy;

/** Reading what issues and pull requests have both, such as comments and labels: document 3 accepts either permission. */
export const readsEither = {
  ...inRepository,
  permission: { anyOf: ['issues:read', 'pull_requests:read'] },
  public: true,
} as const satisfies Policy;

/** Writing what both have: comments, reactions. */
export const writesEither = {
  ...inRepository,
  permission: { anyOf: ['issues:write', 'pull_requests:write'] },
} as const satisfies Policy;

/** Adding comments and reactions, within the limits on interactions. */
export const interactsWithEither = { ...writesEither, interaction: true } as const satisfies Policy;

/** Labelling and assigning them. */
export const sortsEither = { ...writesEither, role: 'triage' } as const satisfies Policy;

/** Changing the labels and milestones that there are. */
export const plansEither = { ...writesEither, role: 'write' } as const satisfies Policy;
