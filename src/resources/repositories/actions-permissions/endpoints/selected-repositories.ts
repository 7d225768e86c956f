// The repositories of an organization that run workflows, and the ones that may have their own self-hosted runners.
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { selectableRepository, selectedRepositoryEndpoints } from '#resources/repositories/repository-selections/index.ts';
import { loadOrganization } from '../load.ts';
import { changesOrganization, readsOrganization } from '../policies.ts';
import { presentRunners } from '../present.ts';
import { changeRunnersPermissions } from '../rules.ts';
import { SelfHostedRunnersPermissions, SelfHostedRunnersPermissionsChange } from '../schemas.ts';
import { findOrganizationRow } from '../store.ts';

const enabled = selectedRepositoryEndpoints({
  selectionOf: async (db, { org }) => (await findOrganizationRow(db, org.id))?.enabled_selection_id ?? undefined,
  unset: 'all',
});

export const listEnabledRepositories = endpoint({
  ...enabled.list,
  id: 'actions/list-selected-repositories-enabled-github-actions-organization',
  path: '/orgs/{org}/actions/permissions/repositories',
  summary: 'List selected repositories enabled for actions in an organization',
  access: readsOrganization,
});

export const setEnabledRepositories = endpoint({
  ...enabled.set,
  id: 'actions/set-selected-repositories-enabled-github-actions-organization',
  path: '/orgs/{org}/actions/permissions/repositories',
  summary: 'Set selected repositories enabled for actions in an organization',
  access: changesOrganization,
});

export const addEnabledRepository = endpoint({
  ...enabled.add,
  id: 'actions/enable-selected-repository-github-actions-organization',
  path: '/orgs/{org}/actions/permissions/repositories/{repository_id}',
  resources: [selectableRepository],
  summary: 'Enable a selected repository for actions in an organization',
  access: changesOrganization,
});

export const removeEnabledRepository = endpoint({
  ...enabled.remove,
  id: 'actions/disable-selected-repository-github-actions-organization',
  path: '/orgs/{org}/actions/permissions/repositories/{repository_id}',
  resources: [selectableRepository],
  summary: 'Disable a selected repository for actions in an organization',
  access: changesOrganization,
});

const runners = selectedRepositoryEndpoints({
  selectionOf: async (db, { org }) => (await findOrganizationRow(db, org.id))?.runners_selection_id ?? undefined,
  unset: 'all',
});

export const getRunnersPermissions = endpoint({
  id: 'actions/get-self-hosted-runners-permissions-organization',
  method: 'GET',
  path: '/orgs/{org}/actions/permissions/self-hosted-runners',
  summary: 'Get self-hosted runners settings for an organization',
  access: readsOrganization,
  replies: { 200: SelfHostedRunnersPermissions },
  async handle({ db, at, links }) {
    return presentRunners(links, at.org, await loadOrganization(db, at.org.id));
  },
});

export const setRunnersPermissions = endpoint({
  id: 'actions/set-self-hosted-runners-permissions-organization',
  method: 'PUT',
  path: '/orgs/{org}/actions/permissions/self-hosted-runners',
  summary: 'Set self-hosted runners settings for an organization',
  access: changesOrganization,
  body: SelfHostedRunnersPermissionsChange,
  example: { enabled_repositories: 'none' },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => changeRunnersPermissions(scope, action, body));
  },
});

export const listRunnersRepositories = endpoint({
  ...runners.list,
  id: 'actions/list-selected-repositories-self-hosted-runners-organization',
  path: '/orgs/{org}/actions/permissions/self-hosted-runners/repositories',
  summary: 'List repositories allowed to use self-hosted runners in an organization',
  access: readsOrganization,
});

export const setRunnersRepositories = endpoint({
  ...runners.set,
  id: 'actions/set-selected-repositories-self-hosted-runners-organization',
  path: '/orgs/{org}/actions/permissions/self-hosted-runners/repositories',
  summary: 'Set repositories allowed to use self-hosted runners in an organization',
  access: changesOrganization,
});

export const addRunnersRepository = endpoint({
  ...runners.add,
  id: 'actions/enable-selected-repository-self-hosted-runners-organization',
  path: '/orgs/{org}/actions/permissions/self-hosted-runners/repositories/{repository_id}',
  resources: [selectableRepository],
  summary: 'Add a repository to those allowed to use self-hosted runners in an organization',
  access: changesOrganization,
});

export const removeRunnersRepository = endpoint({
  ...runners.remove,
  id: 'actions/disable-selected-repository-self-hosted-runners-organization',
  path: '/orgs/{org}/actions/permissions/self-hosted-runners/repositories/{repository_id}',
  resources: [selectableRepository],
  summary: 'Remove a repository from those allowed to use self-hosted runners in an organization',
  access: changesOrganization,
});
