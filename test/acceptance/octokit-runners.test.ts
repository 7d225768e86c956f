import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { groupOf, publish } from '#test/resources/actions/hosted-runners/setting.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

const clientOf = (auth: string) =>
  new Octokit({ auth, baseUrl: `${here.url}/api/v3`, throttle: { enabled: false }, retry: { enabled: false } });

test('Octokit’s methods for what hosted runners are made of', async () => {
  const owner = await here.user();
  const { login: org } = await here.org(owner);
  const { actions } = clientOf(await here.token(owner, ['manage_runners:org'])).rest;

  const { data: owned } = await actions.getHostedRunnersGithubOwnedImagesForOrg({ org });
  expect(owned.images[0]).toMatchObject({ id: 'ubuntu-24.04', platform: 'linux-x64', source: 'github' });
  const { data: partner } = await actions.getHostedRunnersPartnerImagesForOrg({ org });
  expect(partner.images[0]).toMatchObject({ platform: 'linux-arm64', source: 'partner' });
  const { data: sizes } = await actions.getHostedRunnersMachineSpecsForOrg({ org });
  expect(sizes.machine_specs[0]).toEqual({ id: '2-core', cpu_cores: 2, memory_gb: 8, storage_gb: 100 });
  expect((await actions.getHostedRunnersPlatformsForOrg({ org })).data.platforms).toContain('win-x64');
  expect((await actions.getHostedRunnersLimitsForOrg({ org })).data).toEqual({ public_ips: { current_usage: 0, maximum: 0 } });
});

test('Octokit’s methods for hosted runners', async () => {
  const owner = await here.user();
  const account = await here.org(owner);
  const org = account.login;
  const runner_group_id = await groupOf(here, account);
  const { rest, paginate } = clientOf(await here.token(owner, ['manage_runners:org']));
  const { actions } = rest;

  const created = await actions.createHostedRunnerForOrg({
    org,
    name: 'builder',
    image: { id: 'ubuntu-24.04', source: 'github' },
    size: '4-core',
    runner_group_id,
    maximum_runners: 50,
    enable_static_ip: false,
  });
  const hosted_runner_id = created.data.id;
  expect(created).toMatchObject({
    status: 201,
    data: { status: 'Provisioning', image_details: { source: 'github', size_gb: 86 } },
  });
  await here.settle();
  const { data: ready } = await actions.getHostedRunnerForOrg({ org, hosted_runner_id });
  expect(ready).toEqual({ ...created.data, status: 'Ready' });
  expect(ready).not.toHaveProperty('image');
  expect((await actions.getHostedRunnersLimitsForOrg({ org })).data.public_ips).toEqual({ current_usage: 0, maximum: 0 });

  const changed = await actions.updateHostedRunnerForOrg({
    org,
    hosted_runner_id,
    ...{ size: '8-core', image_id: 'ubuntu-22.04', image_source: 'github' },
    maximum_runners: 5,
  });
  expect(changed.data).toMatchObject({ image_details: { id: 'ubuntu-22.04' }, machine_size_details: { id: '8-core' } });
  await here.settle();
  const all = await paginate(actions.listHostedRunnersForOrg, { org, per_page: 1 });
  expect(all).toEqual([{ ...changed.data, status: 'Ready' }]);

  const deleted = await actions.deleteHostedRunnerForOrg({ org, hosted_runner_id });
  expect(deleted).toMatchObject({ status: 202, data: { status: 'Deleting' } });
  await here.settle();
  await expect(actions.getHostedRunnerForOrg({ org, hosted_runner_id })).rejects.toMatchObject({ status: 404 });
});

test('Octokit’s methods for custom images', async () => {
  const owner = await here.user();
  const account = await here.org(owner);
  const org = account.login;
  const runner_group_id = await groupOf(here, account);
  const { actions } = clientOf(await here.token(owner, ['manage_runners:org'])).rest;
  const maker = { name: 'maker', size: '4-core', runner_group_id, image_gen: true };
  await actions.createHostedRunnerForOrg({ org, ...maker, image: { id: 'ubuntu-24.04', source: 'github' } });
  await here.settle();
  const { image: image_definition_id } = await publish({ here, org: account });
  await publish({ here, org: account });

  const { data: listed } = await actions.listCustomImagesForOrg({ org });
  const { data: image } = await actions.getCustomImageForOrg({ org, image_definition_id });
  expect(listed).toEqual({ total_count: 1, images: [image] });
  expect(image).toMatchObject({ name: 'toolchain', source: 'custom', versions_count: 2, latest_version: '1.1.0' });
  const { data: versions } = await actions.listCustomImageVersionsForOrg({ org, image_definition_id });
  expect(versions.image_versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
  const version = '1.0.0';
  const one = await actions.getCustomImageVersionForOrg({ org, image_definition_id, version });
  expect(one.data).toEqual(versions.image_versions[1]);

  const runner = { name: 'follower', size: '4-core', runner_group_id };
  const made = await actions.createHostedRunnerForOrg({
    org,
    ...runner,
    image: { id: String(image_definition_id), source: 'custom', version: null },
  });
  expect(made.data.image_details).toMatchObject({ source: 'custom', size_gb: 40, version: 'latest' });
  await expect(actions.deleteCustomImageFromOrg({ org, image_definition_id })).rejects.toMatchObject({
    status: 422,
    response: { data: { message: 'The image toolchain is in use by the runner follower' } },
  });
  expect((await actions.deleteCustomImageVersionFromOrg({ org, image_definition_id, version })).status).toBe(204);
  await actions.deleteHostedRunnerForOrg({ org, hosted_runner_id: made.data.id });
  await here.settle();
  expect((await actions.deleteCustomImageFromOrg({ org, image_definition_id })).status).toBe(204);
  expect((await actions.listCustomImagesForOrg({ org })).data).toEqual({ total_count: 0, images: [] });
});
