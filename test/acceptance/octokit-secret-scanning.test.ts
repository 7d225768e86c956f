import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { ownToken } from '#test/resources/code/secret-scanning/setting.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

test('an unmodified Octokit turns products on, is refused with a secret, bypasses that, and resolves the alert', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner });
  const { rest } = new Octokit({
    baseUrl: `${here.url}/api/v3`,
    auth: await here.token(owner),
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  const about = { owner: org.login, repo: repo.name };

  await rest.repos.enableVulnerabilityAlerts(about);
  expect((await rest.repos.checkVulnerabilityAlerts(about)).status).toBe(204);
  await rest.repos.enableAutomatedSecurityFixes(about);
  expect((await rest.repos.checkAutomatedSecurityFixes(about)).data).toEqual({ enabled: true, paused: false });
  await rest.repos.disableAutomatedSecurityFixes(about);
  await rest.repos.disableVulnerabilityAlerts(about);
  await expect(rest.repos.checkVulnerabilityAlerts(about)).rejects.toMatchObject({ status: 404 });
  await rest.repos.enablePrivateVulnerabilityReporting(about);
  expect((await rest.repos.checkPrivateVulnerabilityReporting(about)).data.enabled).toBe(true);
  await rest.repos.disablePrivateVulnerabilityReporting(about);
  expect((await rest.codeScanning.getDefaultSetup(about)).data.state).toBe('not-configured');
  await expect(rest.codeScanning.updateDefaultSetup({ ...about, state: 'configured' })).rejects.toMatchObject({ status: 422 });

  const on = { status: 'enabled' };
  const { data: changed } = await rest.repos.update({
    ...about,
    security_and_analysis: { secret_scanning: on, secret_scanning_push_protection: on },
  });
  expect(changed.security_and_analysis?.secret_scanning_push_protection).toEqual(on);

  const secret = ownToken();
  const file = { ...about, path: 'deploy.env', message: 'Add it', content: Buffer.from(secret).toString('base64') };
  const refused = await rest.repos.createOrUpdateFileContents(file).catch((error: Error) => error.message);
  const placeholder_id = /\(placeholder ([\w-]+)\)/.exec(String(refused))?.[1] ?? '';
  const bypass = await rest.secretScanning.createPushProtectionBypass({ ...about, reason: 'will_fix_later', placeholder_id });
  expect(bypass.data.token_type).toBe('hearth_personal_access_token');
  await rest.repos.createOrUpdateFileContents(file);
  await here.settle();

  const { data: alerts } = await rest.secretScanning.listAlertsForRepo(about);
  expect(alerts).toMatchObject([{ number: 1, state: 'open', secret, push_protection_bypassed: true }]);
  expect((await rest.secretScanning.listAlertsForOrg({ org: org.login })).data).toHaveLength(1);
  const one = { ...about, alert_number: 1 };
  expect((await rest.secretScanning.getAlert(one)).data.secret).toBe(secret);
  expect((await rest.secretScanning.listLocationsForAlert(one)).data).toMatchObject([{ type: 'commit' }]);
  await rest.secretScanning.updateAlert({ ...one, state: 'resolved', resolution: 'revoked' });
  expect((await rest.secretScanning.getAlert(one)).data.state).toBe('resolved');
  const { backfill_scans = [] } = (await rest.secretScanning.getScanHistory(about)).data;
  expect(backfill_scans.map(({ type }) => type).sort()).toEqual(['git', 'issue', 'pull-request']);
});
