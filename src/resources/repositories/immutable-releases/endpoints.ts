// Immutable releases: releases that can't change after their publication. A repository or its organization enables them.
import { endpoint } from '#endpoint/endpoint.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { selectableRepository, selectedRepositoryEndpoints } from '#resources/repositories/repository-selections/index.ts';
import { presentSettings, presentState } from './present.ts';
import { changeRule, disableImmutableReleases, enableImmutableReleases } from './rules.ts';
import { ImmutableReleases, ImmutableReleasesChange, ImmutableReleasesSettings } from './schemas.ts';
import { findRule, findState } from './store.ts';

const ofOrg = { scopes: ['admin:org'], role: 'owner' } as const;
const readsOrg = { ...ofOrg, permission: 'organization_administration:read' } as const;
const writesOrg = { ...ofOrg, permission: 'organization_administration:write' } as const;
const ofRepo = { scopes: ['repo'], role: 'admin' } as const;

const selected = selectedRepositoryEndpoints({
  selectionOf: async (db, { org }) => (await findRule(db, org.id))?.selection_id,
});

export const getImmutableReleasesSettings = endpoint({
  id: 'orgs/get-immutable-releases-settings',
  method: 'GET',
  path: '/orgs/{org}/settings/immutable-releases',
  summary: 'Get immutable releases settings for an organization',
  access: readsOrg,
  replies: { 200: ImmutableReleasesSettings },
  async handle({ db, at, links }) {
    return presentSettings(links, at.org, (await findRule(db, at.org.id))?.mode);
  },
});

export const setImmutableReleasesSettings = endpoint({
  id: 'orgs/set-immutable-releases-settings',
  method: 'PUT',
  path: '/orgs/{org}/settings/immutable-releases',
  summary: 'Set immutable releases settings for an organization',
  access: writesOrg,
  body: ImmutableReleasesChange,
  example: { enforced_repositories: 'all' },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => changeRule(scope, action, body));
  },
});

export const listImmutableReleasesRepositories = endpoint({
  ...selected.list,
  id: 'orgs/get-immutable-releases-settings-repositories',
  path: '/orgs/{org}/settings/immutable-releases/repositories',
  summary: 'List selected repositories for immutable releases enforcement',
  access: readsOrg,
});

export const setImmutableReleasesRepositories = endpoint({
  ...selected.set,
  id: 'orgs/set-immutable-releases-settings-repositories',
  path: '/orgs/{org}/settings/immutable-releases/repositories',
  summary: 'Set selected repositories for immutable releases enforcement',
  access: writesOrg,
});

export const addImmutableReleasesRepository = endpoint({
  ...selected.add,
  id: 'orgs/enable-selected-repository-immutable-releases-organization',
  path: '/orgs/{org}/settings/immutable-releases/repositories/{repository_id}',
  resources: [selectableRepository],
  summary: 'Enable a selected repository for immutable releases in an organization',
  access: writesOrg,
});

export const removeImmutableReleasesRepository = endpoint({
  ...selected.remove,
  id: 'orgs/disable-selected-repository-immutable-releases-organization',
  path: '/orgs/{org}/settings/immutable-releases/repositories/{repository_id}',
  resources: [selectableRepository],
  summary: 'Disable a selected repository for immutable releases in an organization',
  access: writesOrg,
});

export const checkImmutableReleases = endpoint({
  id: 'repos/check-immutable-releases',
  method: 'GET',
  path: '/repos/{owner}/{repo}/immutable-releases',
  summary: 'Check if immutable releases are enabled for a repository',
  access: { ...ofRepo, permission: 'administration:read' },
  refuses: [404],
  replies: { 200: ImmutableReleases },
  async handle({ db, at }) {
    const state = presentState(await findState(db, at.repo));
    if (!state.enabled) throw notFound();
    return state;
  },
});

export const enableRepositoryImmutableReleases = endpoint({
  id: 'repos/enable-immutable-releases',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/immutable-releases',
  summary: 'Enable immutable releases',
  access: { ...ofRepo, permission: 'administration:write' },
  refuses: [409],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => enableImmutableReleases(scope, action));
  },
});

export const disableRepositoryImmutableReleases = endpoint({
  id: 'repos/disable-immutable-releases',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/immutable-releases',
  summary: 'Disable immutable releases',
  access: { ...ofRepo, permission: 'administration:write' },
  refuses: [409],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => disableImmutableReleases(scope, action));
  },
});
