import type { Org, Repo } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { SelectionMode } from '#resources/repositories/repository-selections/index.ts';
import type { OrganizationInForce, RepositoryInForce } from './load.ts';
import type { OrganizationActionsPermissions, RepositoryActionsPermissions, SelfHostedRunnersPermissions } from './schemas.ts';
import type { Settings } from './settings.ts';

type PolicyOfActions = Pick<RepositoryActionsPermissions, 'allowed_actions' | 'selected_actions_url' | 'sha_pinning_required'>;

/** @param base the address of the permissions of the organization or repository */
const presentActions = (base: string, { allowed_actions, sha_pinning_required }: Settings): PolicyOfActions => ({
  allowed_actions,
  ...(allowed_actions === 'selected' && { selected_actions_url: `${base}/selected-actions` }),
  sha_pinning_required,
});

/** @param base the address of the setting, with its selected repositories below */
const presentRepositoriesOf = (base: string, mode: SelectionMode): SelfHostedRunnersPermissions => {
  if (mode !== 'selected') return { enabled_repositories: mode === 'all' ? 'all' : 'none' };
  return { enabled_repositories: mode, selected_repositories_url: `${base}/repositories` };
};

export function presentOrganization(
  links: Links,
  { login }: Org,
  { settings, enabled }: OrganizationInForce,
): OrganizationActionsPermissions {
  const base = path(`${links.api}/orgs`, login, 'actions', 'permissions');
  return { ...presentRepositoriesOf(base, enabled), ...presentActions(base, settings) };
}

export function presentRepository(
  links: Links,
  { owner, name }: Repo,
  { settings, isEnabled }: RepositoryInForce,
): RepositoryActionsPermissions {
  const base = path(`${links.api}/repos`, owner.login, name, 'actions', 'permissions');
  return { enabled: isEnabled, ...presentActions(base, settings) };
}

export const presentRunners = (links: Links, { login }: Org, { runners }: OrganizationInForce): SelfHostedRunnersPermissions =>
  presentRepositoriesOf(path(`${links.api}/orgs`, login, 'actions', 'permissions', 'self-hosted-runners'), runners);
