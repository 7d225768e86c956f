// Environments and their protection.
import type { Policy } from '#access/policy.ts';
import { mapEach, mapRows } from '#database/list.ts';
import { redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { asId } from '#lib/id.ts';
import { Nothing } from '#lib/shape.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { branchPolicy, environment, protectionRule } from './path-resources.ts';
import {
  environmentUrl,
  presentBranchPolicy,
  presentEnvironment,
  presentEnvironments,
  presentProtectionRule,
  presentRuleApp,
} from './present.ts';
import {
  changeBranchPolicy,
  createBranchPolicy,
  createProtectionRule,
  deleteBranchPolicy,
  deleteEnvironment,
  deleteProtectionRule,
  setEnvironment,
} from './rules.ts';
import {
  DeploymentBranchPolicy,
  DeploymentBranchPolicyChange,
  DeploymentProtectionRule,
  DeploymentRuleApp,
  Environment,
  EnvironmentSettings,
  NewDeploymentBranchPolicy,
  NewDeploymentProtectionRule,
} from './schemas.ts';
import { listAskableApps, listBranchPolicies, listCustomRules, listEnvironments } from './store.ts';

const reads = { scopes: ['repo'], role: 'read', permission: 'actions:read', public: true } as const satisfies Policy;
const administers = { scopes: ['repo'], role: 'admin' } as const;
const writes = { ...administers, permission: 'administration:write' } as const satisfies Policy;

export const listRepoEnvironments = endpoint({
  id: 'repos/get-all-environments',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments',
  summary: 'List environments',
  access: reads,
  paging: pages(),
  replies: { 200: enveloped('environments', Environment) },
  async handle({ scope, db, at, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listEnvironments(db, at.repo.id, page), (rows) => presentEnvironments(scope, urls, rows));
  },
});

export const getEnvironment = endpoint({
  id: 'repos/get-environment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments/{environment_name}',
  resources: [environment],
  summary: 'Get an environment',
  access: reads,
  replies: { 200: Environment },
  async handle({ scope, at, links }) {
    return presentEnvironment(scope, repositoryUrlsOf(links, at.repo), at.environment);
  },
});

export const setRepoEnvironment = endpoint({
  id: 'repos/create-or-update-environment',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/environments/{environment_name}',
  summary: 'Create or update an environment',
  access: writes,
  body: EnvironmentSettings,
  example: {
    wait_timer: 30,
    prevent_self_review: false,
    reviewers: null,
    deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
    can_admins_bypass: false,
  },
  replies: { 200: Environment },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope) => setEnvironment(scope, action, at.environment_name, body));
    return presentEnvironment(scope, repositoryUrlsOf(links, at.repo), row);
  },
});

export const deleteRepoEnvironment = endpoint({
  id: 'repos/delete-an-environment',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/environments/{environment_name}',
  resources: [environment],
  summary: 'Delete an environment',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { environment }) => deleteEnvironment(scope, action, environment));
  },
});

export const listDeploymentBranchPolicies = endpoint({
  id: 'repos/list-deployment-branch-policies',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies',
  resources: [environment],
  summary: 'List deployment branch policies',
  access: reads,
  paging: pages(),
  replies: { 200: enveloped('branch_policies', DeploymentBranchPolicy) },
  async handle({ db, at, page }) {
    return mapEach(await listBranchPolicies(db, at.environment.id, page), presentBranchPolicy);
  },
});

export const createDeploymentBranchPolicy = endpoint({
  id: 'repos/create-deployment-branch-policy',
  method: 'POST',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies',
  resources: [environment],
  summary: 'Create a deployment branch policy',
  access: writes,
  body: NewDeploymentBranchPolicy,
  example: { name: 'release/*', type: 'branch' },
  replies: { 200: DeploymentBranchPolicy, 303: Nothing },
  async handle({ change, at, body, action, links, reply }) {
    const result = await change((scope, { environment }) => createBranchPolicy(scope, action, environment, body));
    if ('created' in result) return reply(200, presentBranchPolicy(result.created));
    const url = environmentUrl(repositoryUrlsOf(links, at.repo), at.environment.name);
    return redirect(`${url}/deployment-branch-policies/${result.existing}`, 303);
  },
});

export const getDeploymentBranchPolicy = endpoint({
  id: 'repos/get-deployment-branch-policy',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies/{branch_policy_id}',
  resources: [branchPolicy],
  summary: 'Get a deployment branch policy',
  access: reads,
  replies: { 200: DeploymentBranchPolicy },
  async handle({ at }) {
    return presentBranchPolicy(at.branchPolicy);
  },
});

export const updateDeploymentBranchPolicy = endpoint({
  id: 'repos/update-deployment-branch-policy',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies/{branch_policy_id}',
  resources: [branchPolicy],
  summary: 'Update a deployment branch policy',
  access: writes,
  body: DeploymentBranchPolicyChange,
  example: { name: 'release/**/*' },
  replies: { 200: DeploymentBranchPolicy },
  async handle({ change, body, action }) {
    return presentBranchPolicy(await change((scope, at) => changeBranchPolicy(scope, action, at.branchPolicy, body.name)));
  },
});

export const deleteDeploymentBranchPolicy = endpoint({
  id: 'repos/delete-deployment-branch-policy',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies/{branch_policy_id}',
  resources: [branchPolicy],
  summary: 'Delete a deployment branch policy',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, at) => deleteBranchPolicy(scope, action, at.branchPolicy));
  },
});

export const listDeploymentProtectionRules = endpoint({
  id: 'repos/get-all-deployment-protection-rules',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment_protection_rules',
  resources: [environment],
  summary: 'Get all deployment protection rules for an environment',
  access: reads,
  replies: { 200: enveloped('custom_deployment_protection_rules', DeploymentProtectionRule) },
  async handle({ db, at, links }) {
    const rules = await listCustomRules(db, at.environment.id);
    return {
      total_count: rules.length,
      custom_deployment_protection_rules: rules.map((rule) => presentProtectionRule(links, rule)),
    };
  },
});

export const createDeploymentProtectionRule = endpoint({
  id: 'repos/create-deployment-protection-rule',
  method: 'POST',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment_protection_rules',
  resources: [environment],
  summary: 'Create a custom deployment protection rule on an environment',
  access: writes,
  body: NewDeploymentProtectionRule,
  example: { integration_id: 1 },
  replies: { 201: DeploymentProtectionRule },
  async handle({ change, body, action, links }) {
    const app = asId<'apps'>(body.integration_id);
    return presentProtectionRule(links, await change((scope, at) => createProtectionRule(scope, action, at.environment, app)));
  },
});

export const listDeploymentRuleApps = endpoint({
  id: 'repos/list-custom-deployment-rule-integrations',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment_protection_rules/apps',
  resources: [environment],
  summary: 'List custom deployment rule integrations available for an environment',
  access: { ...administers, permission: 'administration:read' },
  paging: pages(),
  replies: { 200: enveloped('available_custom_deployment_protection_rule_integrations', DeploymentRuleApp) },
  async handle({ db, at, page, links }) {
    return mapEach(await listAskableApps(db, at.repo, page), (app) => presentRuleApp(links, app));
  },
});

export const getDeploymentProtectionRule = endpoint({
  id: 'repos/get-custom-deployment-protection-rule',
  method: 'GET',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment_protection_rules/{protection_rule_id}',
  resources: [protectionRule],
  summary: 'Get a custom deployment protection rule',
  access: reads,
  replies: { 200: DeploymentProtectionRule },
  async handle({ at, links }) {
    return presentProtectionRule(links, at.protectionRule);
  },
});

export const disableDeploymentProtectionRule = endpoint({
  id: 'repos/disable-deployment-protection-rule',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/environments/{environment_name}/deployment_protection_rules/{protection_rule_id}',
  resources: [protectionRule],
  summary: 'Disable a custom protection rule for an environment',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, at) => deleteProtectionRule(scope, action, at.environment, at.protectionRule));
  },
});
