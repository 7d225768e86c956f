import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { groupOf } from '#test/resources/hosted-runners/setting.ts';
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
  expect(sizes.machine_specs[0]).toEqual({ id: '2-core', cpu_cores: 2, memory_gb: 8, storage_gb: 75 });
  expect((await actions.getHostedRunnersPlatformsForOrg({ org })).data.platforms).toContain('win-x64');
  expect((await actions.getHostedRunnersLimitsForOrg({ org })).data).toEqual({ public_ips: { current_usage: 0, maximum: 10 } });
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
    enable_static_ip: true,
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
  expect((await actions.getHostedRunnersLimitsForOrg({ org })).data.public_ips).toEqual({ current_usage: 1, maximum: 10 });

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
