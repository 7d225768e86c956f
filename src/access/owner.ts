import type { Db } from '#database/connect.ts';
import { findHeld, findOrg } from './lookup.ts';
import { holds, type Permission } from './permissions.ts';
import { type Account, isScoped, type Org, type SignedIn } from './viewer.ts';

/** The owner of something that is about to be created: the viewer's account, or an organization with the viewer's role in it. */
export type NewOwner = Account & { role?: Org['role'] };

/**
 * The account that a body names as the owner of something new (a fork, a copy of a template, a transferred repository); undefined
 * if the viewer's credential lacks the permission for that account. Without this check, a token could use a fork to create a
 * repository where it may not.
 */
export async function findNewOwner(
  db: Db,
  viewer: SignedIn,
  login: string | undefined,
  permission: Permission,
): Promise<NewOwner | undefined> {
  const { account, grant } = viewer;
  if (login === undefined || login.toLowerCase() === account.login.toLowerCase()) {
    if (isScoped(grant)) return account;
    const isOwnAccount = grant.kind === 'app_user' || (grant.kind === 'fine_grained_pat' && grant.ownerId === account.id);
    return isOwnAccount && holds(await findHeld(db, grant, account.id), permission) ? account : undefined;
  }
  const org = await findOrg(db, viewer, login);
  if (!org) return undefined;
  return isScoped(grant) || (org.reached && holds(org.held, permission)) ? org : undefined;
}
