// Which repositories run workflows, and which actions and reusable workflows they may use.
import { endpoint } from '#endpoint/endpoint.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { loadInForce, loadOrganization, loadRepository } from '../load.ts';
import { changesOrganization, changesRepository, readsOrganization, readsRepository } from '../policies.ts';
import { presentOrganization, presentRepository } from '../present.ts';
import { changeOrganizationPermissions, changeRepositoryPermissions, changeSelectedActions, refuseUnselected } from '../rules.ts';
import {
  OrganizationActionsPermissions,
  OrganizationActionsPermissionsChange,
  RepositoryActionsPermissions,
  RepositoryActionsPermissionsChange,
  SelectedActions,
  SelectedActionsChange,
} from '../schemas.ts';

const ofOrganization = '/orgs/{org}/actions/permissions';
const ofRepository = '/repos/{owner}/{repo}/actions/permissions';

export const getOrganizationPermissions = endpoint({
  id: 'actions/get-github-actions-permissions-organization',
  method: 'GET',
  path: ofOrganization,
  summary: 'Get actions permissions for an organization',
  access: readsOrganization,
  replies: { 200: OrganizationActionsPermissions },
  async handle({ db, at, links }) {
    return presentOrganization(links, at.org, await loadOrganization(db, at.org.id));
  },
});

export const setOrganizationPermissions = endpoint({
  id: 'actions/set-github-actions-permissions-organization',
  method: 'PUT',
  path: ofOrganization,
  summary: 'Set actions permissions for an organization',
  access: changesOrganization,
  body: OrganizationActionsPermissionsChange,
  example: { enabled_repositories: 'all', allowed_actions: 'selected', sha_pinning_required: true },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => changeOrganizationPermissions(scope, action, body));
  },
});

export const getRepositoryPermissions = endpoint({
  id: 'actions/get-github-actions-permissions-repository',
  method: 'GET',
  path: ofRepository,
  summary: 'Get actions permissions for a repository',
  access: readsRepository,
  replies: { 200: RepositoryActionsPermissions },
  async handle({ db, at, links }) {
    return presentRepository(links, at.repo, await loadRepository(db, at.repo));
  },
});

export const setRepositoryPermissions = endpoint({
  id: 'actions/set-github-actions-permissions-repository',
  method: 'PUT',
  path: ofRepository,
  summary: 'Set actions permissions for a repository',
  access: changesRepository,
  body: RepositoryActionsPermissionsChange,
  example: { enabled: true, allowed_actions: 'selected', sha_pinning_required: true },
  refuses: [409],
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => changeRepositoryPermissions(scope, action, body));
  },
});

export const { org: getOrganizationSelectedActions, repo: getRepositorySelectedActions } = endpointVariants(
  {
    org: {
      id: 'actions/get-allowed-actions-organization',
      path: `${ofOrganization}/selected-actions`,
      summary: 'Get allowed actions and reusable workflows for an organization',
      access: readsOrganization,
      refuses: [409],
    },
    repo: {
      id: 'actions/get-allowed-actions-repository',
      path: `${ofRepository}/selected-actions`,
      summary: 'Get allowed actions and reusable workflows for a repository',
      access: readsRepository,
      refuses: [409],
    },
  },
  {
    method: 'GET',
    replies: { 200: SelectedActions },
    async handle({ db, at }) {
      const { settings, selected } = await loadInForce(db, at);
      refuseUnselected(settings);
      return selected;
    },
  },
);

export const { org: setOrganizationSelectedActions, repo: setRepositorySelectedActions } = endpointVariants(
  {
    org: {
      id: 'actions/set-allowed-actions-organization',
      path: `${ofOrganization}/selected-actions`,
      summary: 'Set allowed actions and reusable workflows for an organization',
      access: changesOrganization,
      refuses: [409],
    },
    repo: {
      id: 'actions/set-allowed-actions-repository',
      path: `${ofRepository}/selected-actions`,
      summary: 'Set allowed actions and reusable workflows for a repository',
      access: changesRepository,
      refuses: [409],
    },
  },
  {
    method: 'PUT',
    body: SelectedActionsChange,
    example: { service_owned_allowed: true, verified_allowed: false, patterns_allowed: ['monalisa/*', 'octo/tool@v2'] },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSelectedActions(scope, action, body));
    },
  },
);
