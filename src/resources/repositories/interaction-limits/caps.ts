// The maximum number of open pull requests that people without write access may have in a repository, set by an organization or
// the repository.

import { isDeepStrictEqual } from 'node:util';
import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { defined, gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/identity/accounts/index.ts';
import { getSettings, type Settings, updateSettings } from '#resources/identity/organizations/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import {
  addBypasses,
  type CappedRepository,
  countBypasses,
  findRepositoryCap,
  isBypassing,
  putRepositoryCap,
  removeBypasses,
} from './cap-store.ts';
import { capLimits } from './resource-limits.ts';
import type { CreationCap, CreationCapChange } from './schemas.ts';

const maxBypasses = fixedValue(capLimits.capBypasses);

/** The cap on pull requests, from an organization's settings. The number is kept while the cap is off. */
const capOf = ({ pull_request_cap_enabled, max_open_pull_requests }: Settings): CreationCap => ({
  enabled: pull_request_cap_enabled,
  max_open_pull_requests,
});

/** The cap that was set here. A repository without its own has its organization's. */
export const getCapOf = async (
  db: Db,
  limitOwner: { org: { id: Id<'accounts'> } } | { repo: CappedRepository },
): Promise<CreationCap> =>
  'org' in limitOwner ? capOf(await getSettings(db, limitOwner.org.id)) : findRepositoryCap(db, limitOwner.repo);

/** Switches the cap on or off, and sets it. */
export const changeCap = (
  scope: WriteScope,
  action: OrganizationAction | RepositoryAction,
  wanted: CreationCapChange,
): Promise<CreationCap> => ('org' in action ? changeOrgCap(scope, action, wanted) : changeRepositoryCap(scope, action, wanted));

async function changeOrgCap(scope: WriteScope, action: OrganizationAction, wanted: CreationCapChange): Promise<CreationCap> {
  const { org } = action;
  const before = capOf(await getSettings(scope.tx, org.id));
  if (isDeepStrictEqual({ ...before, ...wanted }, before)) return before;
  // Only the given columns are written, so that a concurrent request can set the others.
  const { enabled: pull_request_cap_enabled, max_open_pull_requests } = wanted;
  const settings = await updateSettings(scope.tx, org.id, defined({ pull_request_cap_enabled, max_open_pull_requests }));
  await record(scope.tx, { ...inOrganization(action), kind: 'organization.updated', data: {} });
  return capOf(settings);
}

/** Gives the repository its own cap, so that it no longer follows its organization. */
async function changeRepositoryCap(scope: WriteScope, action: RepositoryAction, wanted: CreationCapChange): Promise<CreationCap> {
  const { repo } = action;
  const before = await findRepositoryCap(scope.tx, repo);
  const cap = await putRepositoryCap(scope.tx, repo.id, wanted, before.max_open_pull_requests);
  await record(scope.tx, { ...inRepository(action), kind: 'pull_request_cap.changed', data: cap });
  return cap;
}

/**
 * Exempts users from the cap. The repository stays locked, so that concurrent requests count each other's users.
 * @throws Refusal 422 for unknown logins, and beyond the maximum number of users
 */
export async function bypassCap(scope: WriteScope, action: RepositoryAction, logins: readonly string[]): Promise<void> {
  const { repo } = action;
  const refused = (message: string) => invalid('PullRequestCreationCapBypassList', 'users', 'invalid', message);
  const users = await findUsersByLogin(scope.tx, logins);
  if (users.length < unique(logins.map((login) => login.toLowerCase())).length) throw refused('users must be logins of users');
  await lockRepository(scope.tx, repo.id);
  const added = await addBypasses(scope.tx, repo.id, gather(users, 'id'));
  if (added.length > 0 && (await countBypasses(scope.tx, repo.id)) > maxBypasses)
    throw refused(`At most ${maxBypasses} users can bypass the cap of a repository`);
  await recordBypasses(scope, action, 'pull_request_cap.bypass_added', added);
}

/** Applies the cap to these users again. */
export async function obeyCap(scope: WriteScope, action: RepositoryAction, logins: readonly string[]): Promise<void> {
  const users = await findUsersByLogin(scope.tx, logins);
  const removed = await removeBypasses(scope.tx, action.repo.id, gather(users, 'id'));
  await recordBypasses(scope, action, 'pull_request_cap.bypass_removed', removed);
}

const recordBypasses = (
  scope: WriteScope,
  action: RepositoryAction,
  kind: 'pull_request_cap.bypass_added' | 'pull_request_cap.bypass_removed',
  users: readonly Id<'accounts'>[],
): Promise<void> => recordEach(scope.tx, users, (user) => ({ ...inRepository(action), kind, data: { user } }));

/** The maximum number of open pull requests of a user without write access; undefined if no cap applies. */
export async function findCapFor(db: Db, repo: CappedRepository, user: Id<'accounts'>): Promise<number | undefined> {
  const { enabled, max_open_pull_requests } = await findRepositoryCap(db, repo);
  return enabled && !(await isBypassing(db, repo.id, user)) ? max_open_pull_requests : undefined;
}
