import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

async function setting() {
  const ada = await w.user();
  const org = await w.org(ada);
  const repository = await w.repo(org, { by: ada, visibility: 'private' });
  const { rest, request } = new Octokit({
    auth: await w.token(ada),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  return { rest, request, repository, of: { org: org.login }, at: { owner: org.login, repo: repository.name } };
}

test('an unmodified Octokit sets and reads what workflows may use', async () => {
  const { rest, repository, of, at } = await setting();
  const { actions } = rest;
  await actions.setGithubActionsPermissionsOrganization({
    ...of,
    enabled_repositories: 'selected',
    allowed_actions: 'selected',
  });
  await actions.setSelectedRepositoriesEnabledGithubActionsOrganization({ ...of, selected_repository_ids: [] });
  await actions.enableSelectedRepositoryGithubActionsOrganization({ ...of, repository_id: repository.id });
  const { data: enabled } = await actions.listSelectedRepositoriesEnabledGithubActionsOrganization(of);
  expect(enabled.repositories.map(({ id }) => id)).toEqual([repository.id]);
  const list = { github_owned_allowed: true, verified_allowed: false, patterns_allowed: ['octo/*'] };
  await actions.setAllowedActionsOrganization({ ...of, ...list });
  expect((await actions.getAllowedActionsOrganization(of)).data).toEqual(list);
  const { data: organization } = await actions.getGithubActionsPermissionsOrganization(of);
  expect(organization).toMatchObject({ enabled_repositories: 'selected', allowed_actions: 'selected' });

  await actions.setGithubActionsPermissionsRepository({ ...at, enabled: true, allowed_actions: 'selected' });
  await actions.setAllowedActionsRepository({ ...at, github_owned_allowed: false, patterns_allowed: ['octo/tool@v1'] });
  expect((await actions.getAllowedActionsRepository(at)).data).toMatchObject({ patterns_allowed: ['octo/tool@v1'] });
  const { data: own } = await actions.getGithubActionsPermissionsRepository(at);
  expect(own).toMatchObject({ enabled: true, allowed_actions: 'selected' });
  await actions.disableSelectedRepositoryGithubActionsOrganization({ ...of, repository_id: repository.id });
  expect((await actions.getGithubActionsPermissionsRepository(at)).data.enabled).toBe(false);
  await expect(actions.setGithubActionsPermissionsRepository({ ...at, enabled: true })).rejects.toMatchObject({ status: 409 });
});

test('an unmodified Octokit sets and reads what tokens may do, and who may use workflows', async () => {
  const { rest, of, at } = await setting();
  const { actions } = rest;
  const workflow = { default_workflow_permissions: 'write', can_approve_pull_request_reviews: true } as const;
  await actions.setGithubActionsDefaultWorkflowPermissionsOrganization({ ...of, ...workflow });
  expect((await actions.getGithubActionsDefaultWorkflowPermissionsOrganization(of)).data).toEqual(workflow);
  await actions.setGithubActionsDefaultWorkflowPermissionsRepository({ ...at, default_workflow_permissions: 'read' });
  expect((await actions.getGithubActionsDefaultWorkflowPermissionsRepository(at)).data).toEqual({
    ...workflow,
    default_workflow_permissions: 'read',
  });
  await actions.setWorkflowAccessToRepository({ ...at, access_level: 'organization' });
  expect((await actions.getWorkflowAccessToRepository(at)).data).toEqual({ access_level: 'organization' });
});

/**
 * Settings for which this Octokit has no methods yet: their paths, what is set, and what the organization then allows its
 * repositories.
 */
const laterSettings = [
  ['permissions/artifact-and-log-retention', { days: 120 }, { days: 120, maximum_allowed_days: 400 }],
  [
    'permissions/fork-pr-contributor-approval',
    { approval_policy: 'first_time_contributors_new_to_github' },
    { approval_policy: 'first_time_contributors_new_to_github' },
  ],
  [
    'permissions/fork-pr-workflows-private-repos',
    { run_workflows_from_fork_pull_requests: true, require_approval_for_fork_pr_workflows: false },
    {
      run_workflows_from_fork_pull_requests: true,
      send_write_tokens_to_workflows: false,
      send_secrets_and_variables: false,
      require_approval_for_fork_pr_workflows: false,
    },
  ],
  ['cache/retention-limit', { max_cache_retention_days: 14 }, { max_cache_retention_days: 14 }],
  ['cache/storage-limit', { max_cache_size_gb: 20 }, { max_cache_size_gb: 20 }],
] as const;

test.each(laterSettings)('an unmodified Octokit sets and reads %s by its path', async (name, wanted, expected) => {
  const { request, of, at } = await setting();
  const root = name.startsWith('cache') ? 'organizations' : 'orgs';
  await request(`PUT /${root}/{org}/actions/${name}`, { ...of, ...wanted });
  expect((await request(`GET /${root}/{org}/actions/${name}`, of)).data).toEqual(expected);
  await request(`PUT /repos/{owner}/{repo}/actions/${name}`, { ...at, ...wanted });
  expect((await request(`GET /repos/{owner}/{repo}/actions/${name}`, at)).data).toMatchObject(wanted);
});

test('an unmodified Octokit selects the repositories with self-hosted runners by their paths', async () => {
  const { request, repository, of } = await setting();
  const path = '/orgs/{org}/actions/permissions/self-hosted-runners';
  await request(`PUT ${path}`, { ...of, enabled_repositories: 'selected' });
  await request(`PUT ${path}/repositories`, { ...of, selected_repository_ids: [repository.id] });
  await request(`DELETE ${path}/repositories/{repository_id}`, { ...of, repository_id: repository.id });
  await request(`PUT ${path}/repositories/{repository_id}`, { ...of, repository_id: repository.id });
  expect((await request(`GET ${path}/repositories`, of)).data).toMatchObject({ repositories: [{ id: repository.id }] });
  expect((await request(`GET ${path}`, of)).data).toMatchObject({ enabled_repositories: 'selected' });
});

test('an unmodified Octokit sets and reads the subjects of identity tokens', async () => {
  const { rest, request, of, at } = await setting();
  await rest.orgs.customPropertiesForReposCreateOrUpdateOrganizationDefinition({
    ...of,
    custom_property_name: 'stage',
    value_type: 'string',
  });
  const properties = '/orgs/{org}/actions/oidc/customization/properties/repo';
  await request(`POST ${properties}`, { ...of, custom_property_name: 'stage' });
  const included = { custom_property_name: 'stage', inclusion_source: 'organization' };
  expect((await request(`GET ${properties}`, of)).data).toEqual([included]);
  const include_claim_keys = ['repo', 'repo_property_stage'];
  await rest.oidc.updateOidcCustomSubTemplateForOrg({ ...of, include_claim_keys });
  expect((await rest.oidc.getOidcCustomSubTemplateForOrg(of)).data).toMatchObject({ include_claim_keys });
  await rest.actions.setCustomOidcSubClaimForRepo({ ...at, use_default: false });
  expect((await rest.actions.getCustomOidcSubClaimForRepo(at)).data).toMatchObject({
    use_default: false,
    include_claim_keys,
    sub_claim_prefix: `repo:${at.owner}/${at.repo}`,
  });
  await request(`DELETE ${properties}/{custom_property_name}`, { ...of, custom_property_name: 'stage' });
});
