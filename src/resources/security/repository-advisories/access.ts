// Who may see an advisory of a repository before it is published, and who may do what with it.
import { authorize } from '#access/authorize.ts';
import { hasNoRole, type Repo, type Viewer } from '#access/viewer.ts';

const inRepository = { scopes: ['repo'], role: 'read' } as const;

/** Reading advisories: what is published, every reader of the repository may. */
export const readsAdvisories = { ...inRepository, permission: 'repository_advisories:read', public: true } as const;

/** Changing advisories, and reporting vulnerabilities. Rules check who works on which. */
export const writesAdvisories = { ...inRepository, permission: 'repository_advisories:write' } as const;

/** Making private forks of a repository (document 3). */
export const forksAdvisories = {
  ...inRepository,
  permission: { allOf: ['administration:write', 'repository_advisories:write'] },
} as const;

/** What a viewer may see of the advisories of a repository. `own`: those that the account works on. */
export type Reach = { readonly kind: 'published' } | { readonly kind: 'all' } | { readonly kind: 'own'; readonly viewer: Viewer };

const unpublished = { ...inRepository, permission: 'repository_advisories:read' } as const;

/**
 * What a viewer's credential and role let them see of the advisories of a repository. Security managers are found by the store.
 */
export function reachIn(viewer: Viewer, repo: Repo): Reach {
  if (!authorize(unpublished, viewer, { repo }, { write: false }).allowed) return { kind: 'published' };
  return repo.role === 'admin' || hasNoRole(viewer.grant) ? { kind: 'all' } : { kind: 'own', viewer };
}
