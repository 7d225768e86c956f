import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { createUser, findAccountsByLogin, stateEmails, updateAccount } from '#resources/identity/accounts/index.ts';
import { putMembership } from '#resources/identity/members/index.ts';
import { createOrganization, updateSettings } from '#resources/identity/organizations/index.ts';
import type { Address, OrganizationRecord, UserRecord } from '../archive/format.ts';
import type { Contents } from './check.ts';
import { refused } from './unpack.ts';

/** The accounts here that the addresses of an archive stand for. A bot without an account here is nobody. */
export type Accounts = {
  byAddress: ReadonlyMap<Address, Account>;
  /** How many of them are new. */
  made: number;
};

/**
 * Finds the accounts of an archive by their logins, and makes those that are missing. New users have no password and no
 * credential: an administrator gives them one when they come. Nor are their addresses verified, since an archive says what its
 * maker wants.
 * @param into the login of an organization here that takes the place of the one in the archive
 */
export async function importAccounts(
  scope: WriteScope,
  { users, organizations }: Contents,
  into: string | undefined,
): Promise<Accounts> {
  const target = into === undefined ? undefined : await findTarget(scope, organizations, into);
  const logins = [...users.values(), ...organizations.values()].map(({ login }) => login);
  const known = new Map((await findAccountsByLogin(scope.tx, logins)).map((account) => [account.login.toLowerCase(), account]));
  const byAddress = new Map<Address, Account>();
  let made = 0;
  for (const [url, user] of users) {
    const account = known.get(user.login.toLowerCase()) ?? (user.type === 'user' ? await makeUser(scope, user) : undefined);
    if (account?.kind === 'organization') throw refused(`${user.login} is an organization here, and a user in it`);
    if (account && !known.has(user.login.toLowerCase())) made += 1;
    if (account) byAddress.set(url, account);
  }
  for (const [url, organization] of organizations) {
    const account = target ?? known.get(organization.login.toLowerCase());
    if (account && account.kind !== 'organization')
      throw refused(`${organization.login} is a user here, and an organization in it`);
    if (!account) made += 1;
    byAddress.set(url, account ?? (await makeOrganization(scope, organization, byAddress)));
  }
  return { byAddress, made };
}

async function findTarget(scope: WriteScope, organizations: Contents['organizations'], login: string): Promise<Account> {
  const [account] = await findAccountsByLogin(scope.tx, [login]);
  if (account?.kind !== 'organization') throw refused(`${login} is no organization here`);
  if (organizations.size !== 1)
    throw refused(`${account.login} can take the place of one organization, and ${organizations.size} are in it`);
  return account;
}

async function makeUser(
  scope: WriteScope,
  { login, name, bio, company, website, location, emails, created_at }: UserRecord,
): Promise<Account> {
  const { id } = await createUser(scope, { login, now: new Date(created_at) });
  await stateEmails(scope, id, { emails: emails.map(({ address }) => address), now: new Date(created_at) });
  return updateAccount(scope.tx, id, { name, bio, company, blog: website ?? '', location });
}

/** Makes an organization with its members. Of one that is here already, the members stay who they are. */
async function makeOrganization(
  scope: WriteScope,
  { login, name, description, website, location, members, created_at }: OrganizationRecord,
  accounts: ReadonlyMap<Address, Account>,
): Promise<Account> {
  const people = members.flatMap(({ user, role }) => {
    const account = accounts.get(user);
    return account?.kind === 'user' ? [{ account, role }] : [];
  });
  const first = people.find(({ role }) => role === 'admin')?.account;
  if (!first) throw refused(`${login} has no owner in it: make the organization first, by hearth org create`);
  const now = new Date(created_at);
  const { id } = await createOrganization(scope, { login, name: name ?? undefined, owner: first, now });
  for (const { account, role } of people)
    await putMembership(scope.tx, {
      organization_id: id,
      user_id: account.id,
      role: role === 'admin' ? 'owner' : 'member',
      created_at: now,
    });
  await updateSettings(scope.tx, id, { account_id: id, description });
  return updateAccount(scope.tx, id, { blog: website ?? '', location });
}

/** The account that an address stands for; null for nobody, and for those who have none here. */
export const idOf = ({ byAddress }: Accounts, address: Address | null): Id<'accounts'> | null =>
  address === null ? null : (byAddress.get(address)?.id ?? null);

/** The account that owns a repository. */
export const ownerOf = ({ byAddress }: Accounts, address: Address): Account => getOrThrow(byAddress, address);
