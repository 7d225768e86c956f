import type { Db } from '#database/connect.ts';
import { findOrg } from './lookup.ts';
import { holds, type Permission } from './permissions.ts';
import type { Account, Org, SignedIn } from './viewer.ts';

/** An account that the viewer wants to own something new: the viewer's own, or an organization as the viewer meets it. */
export type NewOwner = Account & { role?: Org['role'] };

/**
 * The account named in a body as the owner of something new (a fork, a copy of a template, a transferred repository), when
 * the viewer's credential holds the permission there too: an alternate way to create must not go around the token.
 */
export async function findNewOwner(
  db: Db,
  viewer: SignedIn,
  login: string | undefined,
  permission: Permission,
): Promise<NewOwner | undefined> {
  const { account, grant } = viewer;
  if (login === undefined || login.toLowerCase() === account.login.toLowerCase()) {
    if (grant.kind !== 'fine_grained_pat') return grant.kind === 'installation' ? undefined : account;
    return grant.ownerId === account.id && holds(grant.permissions, permission) ? account : undefined;
  }
  const org = await findOrg(db, viewer, login);
  if (!org) return undefined;
  const scoped = grant.kind === 'classic_pat' || grant.kind === 'oauth_app';
  return scoped || (org.reached && holds(org.held, permission)) ? org : undefined;
}
