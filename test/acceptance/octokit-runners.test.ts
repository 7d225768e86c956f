import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
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
