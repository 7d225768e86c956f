import type { OrganizationAction } from '#access/action.ts';
import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { refuseSwitchedOn } from '#lib/refusal.ts';
import { checkLogin, insertAccount, updateAccount } from '#resources/identity/accounts/index.ts';
import { putMembership } from '#resources/identity/members/index.ts';
import { insertDefaultGroup } from '#resources/identity/runner-groups/index.ts';
import type { OrganizationChange } from './schemas.ts';
import { insertSettings, type OrganizationRow, type Settings, updateSettings } from './store.ts';

type NewOrganization = {
  login: string;
  name?: string | undefined;
  owner: Account;
  actor?: Id<'accounts'>;
  /** Allows the reserved login `actions`. Workflows then use its repositories instead of the configured origin of actions. */
  isForActions?: boolean;
  now: Date;
};

/** Creates an organization with its first owner. */
export async function createOrganization(
  scope: WriteScope,
  { login, name, owner, actor, isForActions = false, now }: NewOrganization,
): Promise<OrganizationRow> {
  await checkLogin(scope, login, { isForActions });
  const account = await insertAccount(scope.tx, {
    kind: 'organization',
    login,
    name: name ?? null,
    created_at: now,
    updated_at: now,
  });
  const settings = await insertSettings(scope.tx, { account_id: account.id });
  await insertDefaultGroup(scope.tx, account.id, now);
  await putMembership(scope.tx, { organization_id: account.id, user_id: owner.id, role: 'owner', created_at: now });
  await record(scope.tx, { kind: 'organization.created', owner: account.id, actor: actor ?? owner.id, at: now, data: {} });
  return { ...account, settings };
}

/** An organization's requirements for fine-grained tokens. */
export type TokenDemandsChange = Partial<
  Pick<Settings, 'fine_grained_tokens_allowed' | 'token_approval_required' | 'max_token_days'>
>;

/**
 * Changes an organization's requirements for fine-grained tokens. Tokens that no longer meet them are refused from the next
 * request on.
 */
export async function changeTokenDemands(
  scope: WriteScope,
  { org, actor, now }: { org: Account; actor: Id<'accounts'> | undefined; now: Date },
  wanted: TokenDemandsChange,
): Promise<Settings> {
  const changed = await updateSettings(scope.tx, org.id, { account_id: org.id, ...defined(wanted) });
  await record(scope.tx, { kind: 'organization.updated', owner: org.id, actor, at: now, data: {} });
  return changed;
}

/** The settings that correspond to the older parameter `members_allowed_repository_creation_type`. */
function creationFlags(type: OrganizationChange['members_allowed_repository_creation_type']) {
  if (type === undefined) return {};
  return {
    members_can_create_repositories: type !== 'none',
    members_can_create_public_repositories: type === 'all',
    members_can_create_private_repositories: type !== 'none',
  };
}

/** Changes an organization's profile and settings. */
export async function changeOrganization(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: OrganizationChange,
): Promise<OrganizationRow> {
  const { org, now } = action;
  refuseSwitchedOn('Organization', wanted, ['advanced_security_enabled_for_new_repositories']);
  const { name, company, blog, location, twitter_username, email, members_allowed_repository_creation_type, ...settings } =
    wanted;
  const account = await updateAccount(scope.tx, org.id, {
    ...defined({ name, company, blog, location, twitter_username, email }),
    updated_at: now,
  });
  const changed = await updateSettings(scope.tx, org.id, {
    account_id: org.id,
    ...creationFlags(members_allowed_repository_creation_type),
    ...defined(settings),
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'organization.updated', data: {} });
  return { ...account, settings: changed };
}
