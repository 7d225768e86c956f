import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { loadSecretsForJob } from '#resources/actions/actions-secrets/index.ts';
import { loadVariablesForJob } from '#resources/actions/actions-variables/index.ts';
import { loadBotSecretsForJob } from '#resources/actions/dependency-bot-secrets/index.ts';
import { setting } from '#test/resources/actions/actions-configuration/setting.ts';
import { sealBox } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

type PublicKey = { data: { key_id: string; key: string } };

/** A secret in a sealed box for the key that a method of Octokit returns. */
async function sealed(reply: Promise<PublicKey>, secret: string) {
  const { key_id, key } = (await reply).data;
  return { key_id, encrypted_value: await sealBox(key, secret) };
}

async function client() {
  const { owner, org, repo, environment } = await setting(here);
  const { rest, paginate } = new Octokit({
    auth: await here.token(owner, ['admin:org', 'repo']),
    baseUrl: `${here.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  const ofRepo = { owner: org.login, repo: repo.name };
  const job: JobEnvironment = { repository: repo.id, environment: environment.id };
  return { actions: rest.actions, dependabot: rest.dependabot, paginate, repo, ofOrg: { org: org.login }, ofRepo, job };
}

test('Octokit’s methods for secrets of workflows', async () => {
  const { actions, paginate, repo, ofOrg, ofRepo, job } = await client();
  const inEnvironment = { ...ofRepo, environment_name: 'production' };
  const secret_name = 'DEPLOY_KEY';
  const ofOrganization = await sealed(actions.getOrgPublicKey(ofOrg), 'organization');
  const made = await actions.createOrUpdateOrgSecret({ ...ofOrg, ...ofOrganization, secret_name, visibility: 'selected' });
  expect(made.status).toBe(201);
  await actions.setSelectedReposForOrgSecret({ ...ofOrg, secret_name, selected_repository_ids: [] });
  await actions.addSelectedRepoToOrgSecret({ ...ofOrg, secret_name, repository_id: repo.id });
  const { data: selected } = await actions.listSelectedReposForOrgSecret({ ...ofOrg, secret_name });
  expect(selected.repositories.map(({ id }) => id)).toEqual([repo.id]);
  const loaded = async () => (await loadSecretsForJob(here.db, here.hearth.services.secrets, job)).get(secret_name);
  expect(await loaded()).toBe('organization');
  expect((await actions.listRepoOrganizationSecrets(ofRepo)).data.secrets).toMatchObject([{ name: secret_name }]);
  expect((await actions.getOrgSecret({ ...ofOrg, secret_name })).data).toMatchObject({ visibility: 'selected' });
  expect(await paginate(actions.listOrgSecrets, { ...ofOrg, per_page: 1 })).toHaveLength(1);

  const ofRepository = await sealed(actions.getRepoPublicKey(ofRepo), 'repository');
  await actions.createOrUpdateRepoSecret({ ...ofRepo, ...ofRepository, secret_name });
  expect(await loaded()).toBe('repository');
  expect((await actions.getRepoSecret({ ...ofRepo, secret_name })).data.name).toBe(secret_name);
  expect((await actions.listRepoSecrets(ofRepo)).data.total_count).toBe(1);

  const ofEnvironment = await sealed(actions.getEnvironmentPublicKey(inEnvironment), 'environment');
  await actions.createOrUpdateEnvironmentSecret({ ...inEnvironment, ...ofEnvironment, secret_name });
  expect(await loaded()).toBe('environment');
  expect((await actions.getEnvironmentSecret({ ...inEnvironment, secret_name })).data.name).toBe(secret_name);
  expect((await actions.listEnvironmentSecrets(inEnvironment)).data.total_count).toBe(1);

  await actions.deleteEnvironmentSecret({ ...inEnvironment, secret_name });
  await actions.deleteRepoSecret({ ...ofRepo, secret_name });
  await actions.removeSelectedRepoFromOrgSecret({ ...ofOrg, secret_name, repository_id: repo.id });
  expect(await loaded()).toBeUndefined();
  expect((await actions.deleteOrgSecret({ ...ofOrg, secret_name })).status).toBe(204);
});

test('Octokit’s methods for secrets of the dependency bot', async () => {
  const { dependabot, paginate, repo, ofOrg, ofRepo } = await client();
  const secret_name = 'REGISTRY_KEY';
  const loaded = async () => (await loadBotSecretsForJob(here.db, here.hearth.services.secrets, repo.id)).get(secret_name);
  const ofOrganization = await sealed(dependabot.getOrgPublicKey(ofOrg), 'organization');
  const visibility = 'selected';
  const ids = { selected_repository_ids: [String(repo.id)] };
  const made = await dependabot.createOrUpdateOrgSecret({ ...ofOrg, ...ofOrganization, ...ids, secret_name, visibility });
  expect(made.status).toBe(201);
  expect(await loaded()).toBe('organization');
  await dependabot.setSelectedReposForOrgSecret({ ...ofOrg, secret_name, selected_repository_ids: [] });
  expect(await loaded()).toBeUndefined();
  await dependabot.addSelectedRepoToOrgSecret({ ...ofOrg, secret_name, repository_id: repo.id });
  const { data: selected } = await dependabot.listSelectedReposForOrgSecret({ ...ofOrg, secret_name });
  expect(selected.repositories.map(({ id }) => id)).toEqual([repo.id]);
  expect((await dependabot.getOrgSecret({ ...ofOrg, secret_name })).data).toMatchObject({ visibility });
  expect(await paginate(dependabot.listOrgSecrets, { ...ofOrg, per_page: 1 })).toHaveLength(1);

  const ofRepository = await sealed(dependabot.getRepoPublicKey(ofRepo), 'repository');
  await dependabot.createOrUpdateRepoSecret({ ...ofRepo, ...ofRepository, secret_name });
  expect(await loaded()).toBe('repository');
  expect((await dependabot.getRepoSecret({ ...ofRepo, secret_name })).data.name).toBe(secret_name);
  expect((await dependabot.listRepoSecrets(ofRepo)).data.total_count).toBe(1);
  await dependabot.deleteRepoSecret({ ...ofRepo, secret_name });
  await dependabot.removeSelectedRepoFromOrgSecret({ ...ofOrg, secret_name, repository_id: repo.id });
  expect(await loaded()).toBeUndefined();
  expect((await dependabot.deleteOrgSecret({ ...ofOrg, secret_name })).status).toBe(204);
});

test('Octokit’s methods for variables of workflows', async () => {
  const { actions, paginate, repo, ofOrg, ofRepo, job } = await client();
  const inEnvironment = { ...ofRepo, environment_name: 'production' };
  const name = 'REGION';
  const loaded = async () => (await loadVariablesForJob(here.db, job)).get(name);
  expect((await actions.createOrgVariable({ ...ofOrg, name, value: 'organization', visibility: 'selected' })).status).toBe(201);
  await actions.setSelectedReposForOrgVariable({ ...ofOrg, name, selected_repository_ids: [] });
  await actions.addSelectedRepoToOrgVariable({ ...ofOrg, name, repository_id: repo.id });
  const { data: selected } = await actions.listSelectedReposForOrgVariable({ ...ofOrg, name });
  expect(selected.repositories.map(({ id }) => id)).toEqual([repo.id]);
  expect(await loaded()).toBe('organization');
  expect((await actions.listRepoOrganizationVariables(ofRepo)).data.variables).toMatchObject([{ value: 'organization' }]);
  await actions.updateOrgVariable({ ...ofOrg, name, value: 'changed' });
  expect((await actions.getOrgVariable({ ...ofOrg, name })).data).toMatchObject({ value: 'changed', visibility: 'selected' });
  expect(await paginate(actions.listOrgVariables, { ...ofOrg, per_page: 1 })).toHaveLength(1);

  await actions.createRepoVariable({ ...ofRepo, name, value: 'repository' });
  await expect(actions.createRepoVariable({ ...ofRepo, name, value: 'again' })).rejects.toMatchObject({ status: 409 });
  expect(await loaded()).toBe('repository');
  await actions.updateRepoVariable({ ...ofRepo, name, value: 'changed' });
  expect((await actions.getRepoVariable({ ...ofRepo, name })).data.value).toBe('changed');
  expect((await actions.listRepoVariables(ofRepo)).data.total_count).toBe(1);

  await actions.createEnvironmentVariable({ ...inEnvironment, name, value: 'environment' });
  expect(await loaded()).toBe('environment');
  await actions.updateEnvironmentVariable({ ...inEnvironment, name, value: 'changed' });
  expect((await actions.getEnvironmentVariable({ ...inEnvironment, name })).data.value).toBe('changed');
  expect((await actions.listEnvironmentVariables(inEnvironment)).data.total_count).toBe(1);

  await actions.deleteEnvironmentVariable({ ...inEnvironment, name });
  await actions.deleteRepoVariable({ ...ofRepo, name });
  await actions.removeSelectedRepoFromOrgVariable({ ...ofOrg, name, repository_id: repo.id });
  expect(await loaded()).toBeUndefined();
  expect((await actions.deleteOrgVariable({ ...ofOrg, name })).status).toBe(204);
});
