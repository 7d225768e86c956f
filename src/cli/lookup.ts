import { findAccount, findRepo, findUser } from '#access/lookup.ts';
import type { Account, Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { findMembership } from '#resources/identity/members/index.ts';
import { UsageError } from './usage-error.ts';

/** Lookups for the arguments of commands. @throws UsageError if something doesn't exist */

export async function userNamed(db: Db, login: string): Promise<Account> {
  const user = await findUser(db, login);
  if (!user) throw new UsageError(`There is no user ${login}`);
  return user;
}

export async function orgNamed(db: Db, login: string): Promise<Account> {
  const account = await findAccount(db, login);
  if (account?.kind !== 'organization') throw new UsageError(`There is no organization ${login}`);
  return account;
}

export async function accountNamed(db: Db, login: string): Promise<Account> {
  const account = await findAccount(db, login);
  if (!account) throw new UsageError(`There is no account ${login}`);
  return account;
}

/** Looks up a repository, regardless of its visibility. */
export async function repoNamed(db: Db, fullName: string): Promise<Repo> {
  const { owner, name } = splitName(fullName);
  const repo = await findRepo(db, operator, owner, name);
  if (!repo) throw new UsageError(`There is no repository ${fullName}`);
  return repo;
}

const operator: Viewer = { grant: { kind: 'none' } };

export function splitName(fullName: string): { owner: string; name: string } {
  const [owner, name, ...rest] = fullName.split('/');
  if (!owner || !name || rest.length > 0) throw new UsageError(`${fullName} is not of the form owner/name`);
  return { owner, name };
}

/** The user for whom a command acts: the given user, or the owner if it is a user. */
export async function actorFor(db: Db, owner: Account, by: string | undefined): Promise<Account> {
  if (by !== undefined) return userNamed(db, by);
  if (owner.kind === 'user') return owner;
  throw new UsageError(`${owner.login} is an organization: --as names the member who does this`);
}

/** The owner with the actor's role, as rules expect it. */
export async function ownerFor(db: Db, owner: Account, actor: Account): Promise<Account & { role: string | undefined }> {
  if (owner.kind !== 'organization') return { ...owner, role: owner.id === actor.id ? 'owner' : undefined };
  return { ...owner, role: (await findMembership(db, owner.id, actor.id))?.role };
}
