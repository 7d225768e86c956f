// Environments and deployments, by an unmodified Octokit.
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { gatekeeper } from '#test/resources/actions/environments/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

test('an unmodified Octokit protects an environment, and deploys into it', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const org = await w.org(ada);
  const restOf = async (auth: string) =>
    new Octokit({ auth, baseUrl: `${w.url}/api/v3`, throttle: { enabled: false }, retry: { enabled: false } });
  const octokit = await restOf(await w.token(ada, ['repo', 'admin:org']));
  const { repos, teams } = octokit.rest;
  await repos.createInOrg({ org: org.login, name: 'engine', auto_init: true, private: true });
  const at = { owner: org.login, repo: 'engine' };
  const { data: team } = await teams.create({ org: org.login, name: 'Operators' });
  await teams.addOrUpdateRepoPermissionsInOrg({ ...at, org: org.login, team_slug: team.slug, permission: 'pull' });
  await repos.addCollaborator({ ...at, username: bob.login });

  const production = { ...at, environment_name: 'production/north' };
  const { data: environment } = await repos.createOrUpdateEnvironment({
    ...production,
    wait_timer: 10,
    prevent_self_review: true,
    reviewers: [
      { type: 'User', id: ada.id },
      { type: 'Team', id: team.id },
    ],
    deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
  });
  expect(environment.protection_rules?.map(({ type }) => type)).toEqual(['wait_timer', 'required_reviewers', 'branch_policy']);
  expect((await repos.getEnvironment(production)).data).toEqual(environment);
  expect((await repos.getAllEnvironments(at)).data).toMatchObject({
    total_count: 1,
    environments: [{ name: 'production/north' }],
  });

  const { data: policy } = await repos.createDeploymentBranchPolicy({ ...production, name: 'release/*' });
  // The pattern that is there is led to, and the client follows.
  expect((await repos.createDeploymentBranchPolicy({ ...production, name: 'release/*' })).data).toEqual(policy);
  const branch_policy_id = policy.id ?? 0;
  await repos.updateDeploymentBranchPolicy({ ...production, branch_policy_id, name: 'main' });
  expect((await repos.listDeploymentBranchPolicies(production)).data.branch_policies).toMatchObject([{ name: 'main' }]);
  expect((await repos.getDeploymentBranchPolicy({ ...production, branch_policy_id })).data.name).toBe('main');

  const { app } = await gatekeeper(w, org);
  const { data: apps } = await repos.listCustomDeploymentRuleIntegrations(production);
  expect(apps.available_custom_deployment_protection_rule_integrations).toMatchObject([{ id: app }]);
  const { data: rule } = await repos.createDeploymentProtectionRule({ ...production, integration_id: app });
  const protection_rule_id = rule.id;
  expect((await repos.getCustomDeploymentProtectionRule({ ...production, protection_rule_id })).data).toEqual(rule);
  expect((await repos.getAllDeploymentProtectionRules(production)).data.total_count).toBe(1);
  await repos.disableDeploymentProtectionRule({ ...production, protection_rule_id });

  const { data: deployment } = await repos.createDeployment({
    ...at,
    ref: 'main',
    environment: 'production/north',
    payload: { region: 'north' },
  });
  if (!('id' in deployment)) throw new Error('Nothing is to be merged');
  const known = { ...at, deployment_id: deployment.id };
  const { data: status } = await repos.createDeploymentStatus({ ...known, state: 'success', log_url: 'https://ci.example/1' });
  expect((await repos.getDeploymentStatus({ ...known, status_id: status.id })).data).toEqual(status);
  expect(await octokit.paginate(repos.listDeploymentStatuses, known)).toEqual([status]);
  expect((await repos.getDeployment(known)).data).toMatchObject({
    payload: { region: 'north' },
    environment: 'production/north',
  });
  expect(await octokit.paginate(repos.listDeployments, { ...at, environment: 'production/north' })).toHaveLength(1);

  await repos.deleteDeploymentBranchPolicy({ ...production, branch_policy_id });
  await expect(repos.createDeployment({ ...at, ref: 'main', environment: 'production/north' })).rejects.toMatchObject({
    status: 422,
  });
  const { data: main } = await repos.getCommit({ ...at, ref: 'main' });
  await octokit.rest.git.createRef({ ...at, ref: 'refs/heads/topic', sha: main.sha });
  await repos.createOrUpdateFileContents({ ...at, path: 'a', message: 'Change', content: 'YQ==' });
  const merged = await repos.createDeployment({ ...at, ref: 'topic', environment: 'review' });
  expect(merged).toMatchObject({ status: 202, data: { message: 'Auto-merged main into topic on deployment.' } });
  await repos.deleteDeployment(known);
  await repos.deleteAnEnvironment(production);
  expect((await repos.getAllEnvironments(at)).data.total_count).toBe(0);
});
