// Who may see and change an advisory of a repository before it is published.
import { authorize } from '#access/authorize.ts';
import { hasNoRole, type Repo, type Viewer } from '#access/viewer.ts';

const inRepository = { scopes: ['repo'], role: 'read' } as const;

/** Reading advisories. Every reader of the repository may read published ones. */
export const readsAdvisories = { ...inRepository, permission: 'repository_advisories:read', public: true } as const;

/** Changing advisories, and reporting vulnerabilities. The rules check who works on which advisory. */
export const writesAdvisories = { ...inRepository, permission: 'repository_advisories:write' } as const;

/** Creating private forks of a repository (document 3). */
export const forksAdvisories = {
  ...inRepository,
  permission: { allOf: ['administration:write', 'repository_advisories:write'] },
} as const;

/** The advisories of a repository that a viewer may see. `own`: those that the account works on. */
export type Reach = { readonly kind: 'published' } | { readonly kind: 'all' } | { readonly kind: 'own'; readonly viewer: Viewer };

const unpublished = { ...inRepository, permission: 'repository_advisories:read' } as const;

/** All advisories of an organization's repositories, published or not. */
export const readsAllAdvisories = {
  permission: 'repository_advisories:read',
  scopes: ['repo'],
  role: 'owner',
  orRole: 'security_manager',
} as const;

/** Whether a viewer may do everything with the advisories of a repository that the credential allows. */
export const administersAdvisories = ({ role, managesSecurity }: Repo, { grant }: Viewer): boolean =>
  role === 'admin' || managesSecurity || hasNoRole(grant);

/** The advisories of a repository that a viewer's credential and role allow. */
export function reachIn(viewer: Viewer, repo: Repo): Reach {
  if (!authorize(unpublished, viewer, { repo }, { write: false }).allowed) return { kind: 'published' };
  return administersAdvisories(repo, viewer) ? { kind: 'all' } : { kind: 'own', viewer };
}
