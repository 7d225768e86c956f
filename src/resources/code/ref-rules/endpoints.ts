// The results of rules for moves of refs, and the rules that apply to a branch.
import { Type } from 'typebox';
import type { Org, Repo } from '#access/viewer.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { addMinutes } from '#lib/time.ts';
import { listRulesetRules } from './branch-rules.ts';
import { branchName, orgRuleSuite, repoRuleSuite } from './path-resources.ts';
import { presentRuleSuite, presentShortRuleSuite } from './present.ts';
import { BranchRule, RuleSuite, ShortRuleSuite } from './schemas.ts';
import { listSuites, type SuiteOwner } from './store.ts';

const readsOrg = { permission: 'organization_administration:write', scopes: ['admin:org'], role: 'owner' } as const;
const readsRepo = { permission: 'administration:write', scopes: ['repo'], role: 'admin' } as const;

/** The periods of the lists, in hours. */
const periods = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;

const filters = {
  ref: Type.Optional(Type.String()),
  time_period: withDefault(OneOf(['hour', 'day', 'week', 'month']), 'day'),
  actor_name: Type.Optional(Type.String()),
  rule_suite_result: withDefault(OneOf(['pass', 'fail', 'bypass', 'all']), 'all'),
  evaluate_status: withDefault(OneOf(['all', 'active', 'evaluate']), 'all'),
};

const ownerOf = (at: { org: Pick<Org, 'id'> } | { repo: Pick<Repo, 'id' | 'owner_id'> }): SuiteOwner =>
  'org' in at ? { owner: at.org.id } : { repository: at.repo.id, owner: at.repo.owner_id };

export const { org: listOrgRuleSuites, repo: listRepoRuleSuites } = endpointVariants(
  {
    org: {
      id: 'repos/get-org-rule-suites',
      path: '/orgs/{org}/rulesets/rule-suites',
      summary: 'List organization rule suites',
      access: readsOrg,
      query: Type.Object({ ...filters, repository_name: Type.Optional(Type.String()) }),
    },
    repo: {
      id: 'repos/get-repo-rule-suites',
      path: '/repos/{owner}/{repo}/rulesets/rule-suites',
      summary: 'List repository rule suites',
      access: readsRepo,
      query: Type.Object(filters),
    },
  },
  {
    method: 'GET',
    paging: pages(),
    replies: { 200: Type.Array(ShortRuleSuite) },
    async handle({ db, at, query, page, now }) {
      const since = addMinutes(now, -60 * periods[query.time_period]);
      const suites = await listSuites(db, ownerOf(at), { ...query, since }, page);
      return mapRows(suites, (rows) => rows.map(presentShortRuleSuite));
    },
  },
);

export const { org: getOrgRuleSuite, repo: getRepoRuleSuite } = endpointVariants(
  {
    org: {
      id: 'repos/get-org-rule-suite',
      path: '/orgs/{org}/rulesets/rule-suites/{rule_suite_id}',
      resources: [orgRuleSuite],
      summary: 'Get an organization rule suite',
      access: readsOrg,
    },
    repo: {
      id: 'repos/get-repo-rule-suite',
      path: '/repos/{owner}/{repo}/rulesets/rule-suites/{rule_suite_id}',
      resources: [repoRuleSuite],
      summary: 'Get a repository rule suite',
      access: readsRepo,
    },
  },
  {
    method: 'GET',
    replies: { 200: RuleSuite },
    handle: ({ db, at }) => presentRuleSuite(db, at.suite),
  },
);

export const getBranchRules = endpoint({
  id: 'repos/get-branch-rules',
  method: 'GET',
  path: '/repos/{owner}/{repo}/rules/branches/{branch}',
  resources: [branchName],
  summary: 'Get rules for a branch',
  access: { permission: 'metadata:read', scopes: ['repo'], public: true },
  paging: pages(),
  replies: { 200: Type.Array(BranchRule) },
  async handle({ db, at, page: { offset, limit } }) {
    const rules = await listRulesetRules(db, at.repo, at.ruledBranch.ref);
    return { rows: rules.slice(offset, offset + limit), total: rules.length };
  },
});
