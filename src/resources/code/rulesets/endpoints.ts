// Rulesets of organizations and repositories, with their history.
import { Type } from 'typebox';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { organizationRuleset, organizationVersion, repositoryRuleset, repositoryVersion, rulesetAt } from './path-resources.ts';
import { readsRepositoryRulesets, writesOrganizationRulesets, writesRepositoryRulesets } from './policies.ts';
import { presentRulesetTo, presentSummary, presentVersion, presentVersionWithState } from './present.ts';
import { changeRuleset, createRuleset, deleteRuleset, ownerOf } from './rules.ts';
import {
  NewOrganizationRuleset,
  NewRepositoryRuleset,
  OrganizationRulesetChange,
  RepositoryRulesetChange,
  Ruleset,
  RulesetSummary,
  RulesetTargets,
  RulesetVersion,
  RulesetVersionWithState,
  WithParents,
} from './schemas.ts';
import { listRulesets, listRulesetsAt, listVersions, type RulesetHead } from './store.ts';

const ofOrganization = '/orgs/{org}/rulesets';
const ofRepository = '/repos/{owner}/{repo}/rulesets';
const oneOfOrganization = { path: `${ofOrganization}/{ruleset_id}`, resources: [organizationRuleset] } as const;
const oneOfRepository = { path: `${ofRepository}/{ruleset_id}`, resources: [repositoryRuleset] } as const;

/** Keeps the rulesets with one of the targets, which are separated by commas. */
const withTargets = (rows: readonly RulesetHead[], targets: string | undefined): readonly RulesetHead[] =>
  targets === undefined ? rows : rows.filter(({ target }) => targets.split(',').includes(target));

export const listOrgRulesets = endpoint({
  id: 'repos/get-org-rulesets',
  method: 'GET',
  path: ofOrganization,
  summary: 'Get all organization repository rulesets',
  access: writesOrganizationRulesets,
  query: RulesetTargets,
  paging: pages(),
  replies: { 200: Type.Array(RulesetSummary) },
  async handle({ db, at, query, page, links }) {
    const rows = withTargets(await listRulesets(db, ownerOf(at)), query.targets);
    return mapEach(pageOut(rows, page), (row) => presentSummary(links, at, row));
  },
});

export const listRepoRulesets = endpoint({
  id: 'repos/get-repo-rulesets',
  method: 'GET',
  path: ofRepository,
  summary: 'Get all repository rulesets',
  access: readsRepositoryRulesets,
  query: Type.Object({ ...WithParents.properties, ...RulesetTargets.properties }),
  paging: pages(),
  replies: { 200: Type.Array(RulesetSummary) },
  async handle({ db, at, query, page, links }) {
    const found = query.includes_parents ? await listRulesetsAt(db, at.repo) : await listRulesets(db, ownerOf(at));
    return mapEach(pageOut(withTargets(found, query.targets), page), (row) => presentSummary(links, at, row));
  },
});

export const { org: createOrgRuleset, repo: createRepoRuleset } = endpointVariants(
  {
    org: {
      id: 'repos/create-org-ruleset',
      path: ofOrganization,
      summary: 'Create an organization repository ruleset',
      access: writesOrganizationRulesets,
      body: NewOrganizationRuleset,
      example: {
        name: 'Releases are kept',
        target: 'tag',
        enforcement: 'active',
        conditions: { ref_name: { include: ['~ALL'], exclude: [] }, repository_name: { include: ['service-*'], exclude: [] } },
        rules: [{ type: 'deletion' }, { type: 'update' }],
      },
    },
    repo: {
      id: 'repos/create-repo-ruleset',
      path: ofRepository,
      summary: 'Create a repository ruleset',
      access: writesRepositoryRulesets,
      body: NewRepositoryRuleset,
      example: {
        name: 'Main is reviewed',
        target: 'branch',
        enforcement: 'active',
        bypass_actors: [{ actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'pull_request' }],
        conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
        rules: [{ type: 'non_fast_forward' }],
      },
    },
  },
  {
    method: 'POST',
    replies: { 201: Ruleset },
    async handle({ scope, change, at, body, action }) {
      const row = await change((scope) => createRuleset(scope, action, body));
      return presentRulesetTo(scope, at, row);
    },
  },
);

export const getOrgRuleset = endpoint({
  ...oneOfOrganization,
  id: 'repos/get-org-ruleset',
  method: 'GET',
  summary: 'Get an organization repository ruleset',
  access: writesOrganizationRulesets,
  replies: { 200: Ruleset },
  async handle({ scope, at }) {
    return presentRulesetTo(scope, at, at.ruleset);
  },
});

export const getRepoRuleset = endpoint({
  path: oneOfRepository.path,
  resources: [rulesetAt],
  id: 'repos/get-repo-ruleset',
  method: 'GET',
  summary: 'Get a repository ruleset',
  access: readsRepositoryRulesets,
  query: WithParents,
  replies: { 200: Ruleset },
  async handle({ scope, at, query }) {
    if (!query.includes_parents && at.ruleset.organization_id !== null) throw notFound();
    return presentRulesetTo(scope, at, at.ruleset);
  },
});

export const { org: updateOrgRuleset, repo: updateRepoRuleset } = endpointVariants(
  {
    org: {
      ...oneOfOrganization,
      id: 'repos/update-org-ruleset',
      summary: 'Update an organization repository ruleset',
      access: writesOrganizationRulesets,
      body: OrganizationRulesetChange,
    },
    repo: {
      ...oneOfRepository,
      id: 'repos/update-repo-ruleset',
      summary: 'Update a repository ruleset',
      access: writesRepositoryRulesets,
      body: RepositoryRulesetChange,
    },
  },
  {
    method: 'PUT',
    example: { enforcement: 'evaluate' },
    replies: { 200: Ruleset },
    async handle({ scope, change, at, body, action }) {
      const row = await change((scope, { ruleset }) => changeRuleset(scope, action, ruleset, body));
      return presentRulesetTo(scope, at, row);
    },
  },
);

export const { org: deleteOrgRuleset, repo: deleteRepoRuleset } = endpointVariants(
  {
    org: {
      ...oneOfOrganization,
      id: 'repos/delete-org-ruleset',
      summary: 'Delete an organization repository ruleset',
      access: writesOrganizationRulesets,
    },
    repo: {
      ...oneOfRepository,
      id: 'repos/delete-repo-ruleset',
      summary: 'Delete a repository ruleset',
      access: writesRepositoryRulesets,
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action }) {
      await change((scope, { ruleset }) => deleteRuleset(scope, action, ruleset));
    },
  },
);

export const { org: getOrgRulesetHistory, repo: getRepoRulesetHistory } = endpointVariants(
  {
    org: {
      path: `${oneOfOrganization.path}/history`,
      resources: [organizationRuleset],
      id: 'orgs/get-org-ruleset-history',
      summary: 'Get organization ruleset history',
      access: writesOrganizationRulesets,
    },
    repo: {
      path: `${oneOfRepository.path}/history`,
      resources: [repositoryRuleset],
      id: 'repos/get-repo-ruleset-history',
      summary: 'Get repository ruleset history',
      access: writesRepositoryRulesets,
    },
  },
  {
    method: 'GET',
    paging: pages(),
    replies: { 200: Type.Array(RulesetVersion) },
    async handle({ db, at, page }) {
      return mapEach(await listVersions(db, at.ruleset.id, page), presentVersion);
    },
  },
);

export const { org: getOrgRulesetVersion, repo: getRepoRulesetVersion } = endpointVariants(
  {
    org: {
      path: `${oneOfOrganization.path}/history/{version_id}`,
      resources: [organizationVersion],
      id: 'orgs/get-org-ruleset-version',
      summary: 'Get organization ruleset version',
      access: writesOrganizationRulesets,
    },
    repo: {
      path: `${oneOfRepository.path}/history/{version_id}`,
      resources: [repositoryVersion],
      id: 'repos/get-repo-ruleset-version',
      summary: 'Get repository ruleset version',
      access: writesRepositoryRulesets,
    },
  },
  {
    method: 'GET',
    replies: { 200: RulesetVersionWithState },
    async handle({ at, links }) {
      return presentVersionWithState(links, at, at.version, at.ruleset);
    },
  },
);
