import type { Target } from '#access/authorize.ts';
import type { PermissionSet } from '#access/permissions.ts';
import { scopes as everyScope } from '#access/scopes.ts';
import type { Account, Grant, Org, Repo, Viewer } from '#access/viewer.ts';
import type { Facts } from './naive.ts';

const withoutAccount = ['none', 'app_jwt', 'client'];

/** Facts in the form that the server has when it decides about a request. */
export function asServed({ kind, scopes, permissions, siteAdmin, isRecent, repo, org }: Facts): {
  viewer: Viewer;
  target: Target;
} {
  const held = kind === 'session' ? { scopes: everyScope, isRecent } : { scopes, permissions };
  const grant = { kind, ...held } as unknown as Grant; // the fields of a grant that `authorize` reads
  const account = { site_admin: siteAdmin } as Account;
  const heldIf = (reached: boolean) => (reached ? (permissions as PermissionSet) : {});
  return {
    viewer: withoutAccount.includes(kind) ? { grant } : { grant, account },
    target: {
      ...(repo ? { repo: { ...repoAsServed(repo), held: heldIf(repo.reached) } as unknown as Repo } : {}),
      ...(org ? { org: { ...org, held: heldIf(org.reached) } as unknown as Org } : {}),
    },
  };
}

function repoAsServed({ limit: group, standing, locked, ...repo }: NonNullable<Facts['repo']>) {
  const inForce = group && { group, expiresAt: new Date() };
  const speaks = {
    hasRole: standing.includes('role'),
    hasCommits: standing.includes('commit'),
    isNew: !standing.includes('age'),
  };
  const interaction = { inForce, ...(inForce ? { limit: { ...inForce, ...speaks } } : {}) };
  return { ...repo, locked_by: locked ? 1 : null, interaction };
}
