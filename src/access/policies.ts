// Policies that several families share.
import type { Policy } from './policy.ts';

const inRepository = { scopes: ['repo'], role: 'read' } as const;

/** Reading the metadata of a repository. */
export const readsMetadata = { ...inRepository, permission: 'metadata:read', public: true } as const satisfies Policy;

/** Reading files, commits and refs. */
export const readsContents = { ...inRepository, permission: 'contents:read', public: true } as const satisfies Policy;

/** Changing files, commits and refs. */
export const writesContents = { ...inRepository, permission: 'contents:write', role: 'write' } as const satisfies Policy;

/** Moving branches, including branches of a fork that an open pull request allows others to modify. */
export const movesBranches = { ...writesContents, heads: 'modifiable' } as const satisfies Policy;

/**
 * For parts of an endpoint that only administrators of a repository may use, with a credential that may administer it. Rules
 * check it.
 */
export const administersRepository = {
  scopes: ['repo'],
  role: 'admin',
  permission: 'administration:write',
} as const satisfies Policy;

/** Reading issues. */
export const readsIssues = { ...inRepository, permission: 'issues:read', public: true } as const satisfies Policy;

/** Changing issues. Rules check fields that need a higher role. */
export const writesIssues = { ...inRepository, permission: 'issues:write' } as const satisfies Policy;

/** Opening issues. Every signed-in reader may do this unless a limit on interactions excludes them. */
export const opensIssues = { ...writesIssues, interaction: true } as const satisfies Policy;

/** Reading what issues and pull requests share, such as comments and labels. Document 3 accepts the permission for either. */
export const readsIssuesOrPulls = {
  ...inRepository,
  permission: { anyOf: ['issues:read', 'pull_requests:read'] },
  public: true,
} as const satisfies Policy;

/** Writing comments and reactions of issues and pull requests. */
export const writesIssuesOrPulls = {
  ...inRepository,
  permission: { anyOf: ['issues:write', 'pull_requests:write'] },
} as const satisfies Policy;

/** Adding comments and reactions, within the limits on interactions. */
export const interactsWithIssuesOrPulls = { ...writesIssuesOrPulls, interaction: true } as const satisfies Policy;

/** Setting labels and assignees of issues and pull requests. */
export const triagesIssuesOrPulls = { ...writesIssuesOrPulls, role: 'triage' } as const satisfies Policy;

/** Changing the labels and milestones of a repository. */
export const maintainsIssuesOrPulls = { ...writesIssuesOrPulls, role: 'write' } as const satisfies Policy;

/** Reading pull requests. */
export const readsPulls = { ...inRepository, permission: 'pull_requests:read', public: true } as const satisfies Policy;

/** Changing pull requests. Rules check fields that need a higher role. */
export const changesPulls = { ...inRepository, permission: 'pull_requests:write' } as const satisfies Policy;

/** Opening pull requests. Every signed-in reader with a branch may do this unless a limit on interactions excludes them. */
export const opensPulls = { ...changesPulls, interaction: true } as const satisfies Policy;

/** Reading workflows, their runs and jobs. */
export const readsActions = { ...inRepository, permission: 'actions:read', public: true } as const satisfies Policy;

/** Starting, stopping and changing workflows, runs and jobs. */
export const writesActions = { ...inRepository, role: 'write', permission: 'actions:write' } as const satisfies Policy;
