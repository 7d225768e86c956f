import { rm } from 'node:fs/promises';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { ownToken } from '#test/resources/code/secret-scanning/setting.ts';
import {
  advisoryFolder,
  advisoryOf,
  loadFolder,
  lockOf,
  writeAdvisory,
} from '#test/resources/security/dependency-alerts/setting.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { websites } from '#test/support/websites.ts';

const folder = await advisoryFolder();
atEndOfFile(() => rm(folder, { recursive: true }));
const { here } = await websites({ advisories: folder });
await writeAdvisory(folder, advisoryOf('GHSA-2345-6789-cfgh', 'left', '1.2.0'));
await loadFolder(here);

const ada = await here.user();
const ben = await here.user();
const org = await here.org(ada);
await here.member(org, ben);
const repo = await here.repo(org, { by: ada, visibility: 'private' });
const of = { org: org.login };
const at = { owner: org.login, repo: repo.name };
const { rest, hook } = new Octokit({
  auth: await here.token(ada),
  baseUrl: `${here.url}/api/v3`,
  throttle: { enabled: false },
  retry: { enabled: false },
});
const { billing, codeSecurity, copilot, dependabot, dependencyGraph, repos, secretScanning } = rest;

const used = new Set<string>();
hook.before('request', ({ method, url }) => {
  used.add(`${method} ${url}`);
});

const put = async (path: string, text: string): Promise<string> => {
  const content = Buffer.from(text).toString('base64');
  const { data } = await repos.createOrUpdateFileContents({ ...at, path, message: `Add ${path}`, content });
  await here.settle();
  return data.commit.sha ?? '';
};

/** One step of a story: what is asked, and what a part of the reply is. */
type Step = readonly [name: string, ask: () => Promise<{ data: unknown }>, expected?: unknown];

async function follow(steps: readonly Step[]): Promise<void> {
  for (const [name, ask, expected] of steps) {
    const { data } = await ask();
    await here.settle();
    if (expected !== undefined) expect(data, name).toMatchObject(expected as object);
  }
}

test('an unmodified Octokit configures the security of an organization', async () => {
  const { data: made } = await codeSecurity.createConfiguration({
    ...of,
    name: 'Engines',
    description: 'All',
    secret_scanning: 'enabled',
    dependabot_alerts: 'enabled',
    enforcement: 'unenforced',
  });
  const one = { ...of, configuration_id: made.id ?? 0 };
  const shown = { name: 'Engines', dependency_graph: 'enabled', dependabot_alerts: 'enabled' };
  await follow([
    ['get', () => codeSecurity.getConfiguration(one), shown],
    ['list', () => codeSecurity.getConfigurationsForOrg(of), [{ target_type: 'global' }, shown]],
    ['change', () => codeSecurity.updateConfiguration({ ...one, description: 'Some' }), { description: 'Some' }],
    ['attach', () => codeSecurity.attachConfiguration({ ...one, scope: 'all' })],
    [
      'repositories',
      () => codeSecurity.getRepositoriesForConfiguration(one),
      [{ status: 'attached', repository: { id: repo.id } }],
    ],
    ['of a repository', () => codeSecurity.getConfigurationForRepository(at), { status: 'attached', configuration: shown }],
    ['default', () => codeSecurity.setConfigurationAsDefault({ ...one, default_for_new_repos: 'all' })],
    ['defaults', () => codeSecurity.getDefaultConfigurations(of), [{ default_for_new_repos: 'all' }]],
    ['detach', () => codeSecurity.detachConfiguration({ ...of, selected_repository_ids: [repo.id] })],
    ['delete', () => codeSecurity.deleteConfiguration(one)],
  ]);
});

test('it follows dependencies and their alerts', async () => {
  await repos.enableVulnerabilityAlerts(at);
  await here.settle();
  const sha = await put('package-lock.json', lockOf({ left: '1.1.0' }));
  const head = await put('go.mod', 'module a.test/b\nrequire c.test/d v1.0.0\n');
  const added = { change_type: 'added', manifest: 'go.mod', name: 'c.test/d' };
  const first = { ...at, alert_number: 1 };
  const snapshot = {
    ...at,
    version: 0,
    sha,
    ref: 'refs/heads/main',
    job: { id: '1', correlator: 'build' },
    detector: { name: 'bundler', version: '1.0', url: 'https://bundler.example' },
    scanned: '2026-01-01T00:00:00Z',
    manifests: { bundle: { name: 'bundle', resolved: { right: { package_url: 'pkg:npm/right@1.0.0' } } } },
  };
  await follow([
    ['alerts', () => dependabot.listAlertsForRepo(at), [{ number: 1, state: 'open', dependency: { package: { name: 'left' } } }]],
    ['of an organization', () => dependabot.listAlertsForOrg(of), [{ number: 1, repository: { id: repo.id } }]],
    ['dismiss', () => dependabot.updateAlert({ ...first, state: 'dismissed', dismissed_reason: 'not_used' })],
    ['alert', () => dependabot.getAlert(first), { state: 'dismissed', dismissed_by: { login: ada.login } }],
    ['submit', () => dependencyGraph.createRepositorySnapshot(snapshot), { result: 'SUCCESS' }],
    [
      'bill',
      () => dependencyGraph.exportSbom(at),
      { sbom: { packages: [{}, { name: 'c.test/d' }, { name: 'left' }, { name: 'right' }] } },
    ],
    ['compare', () => dependencyGraph.diffRange({ ...at, basehead: `${sha}...${head}` }), [added]],
  ]);
  await dependabot.updateRepositoryAccessForOrg({ ...of, repository_ids_to_add: [repo.id] });
  await dependabot.setRepositoryAccessDefaultLevel({ ...of, default_level: 'public' });
  const { data } = await dependabot.repositoryAccessForOrg(of);
  expect(data).toMatchObject({ default_level: 'public', accessible_repositories: [{ id: repo.id }] });
});

test('it follows secrets, from a push that is refused to an alert that is resolved', async () => {
  const on = { status: 'enabled' };
  await repos.update({ ...at, security_and_analysis: { secret_scanning: on, secret_scanning_push_protection: on } });
  await here.settle();
  const secret = ownToken();
  const refused = await put('key.txt', secret).catch((error: { response: { data: object } }) => error.response.data);
  const text = JSON.stringify(refused);
  const [placeholder_id = ''] = /(?<=placeholder )[\w-]+/.exec(text) ?? [];
  expect(placeholder_id, text).not.toBe('');
  const first = { ...at, alert_number: 1 };
  const bypass = { ...at, placeholder_id, reason: 'used_in_tests' as const };
  await follow([
    ['bypass', () => secretScanning.createPushProtectionBypass(bypass), { reason: 'used_in_tests' }],
    ['push', async () => ({ data: { sha: await put('key.txt', secret) } })],
    [
      'alerts',
      () => secretScanning.listAlertsForRepo(at),
      [{ number: 1, state: 'resolved', resolution: 'used_in_tests', secret }],
    ],
    ['of an organization', () => secretScanning.listAlertsForOrg(of), [{ number: 1, repository: { id: repo.id } }]],
    ['places', () => secretScanning.listLocationsForAlert(first), [{ type: 'commit', details: { path: 'key.txt' } }]],
    ['reopen', () => secretScanning.updateAlert({ ...first, state: 'open' }), { state: 'open' }],
    ['resolve', () => secretScanning.updateAlert({ ...first, state: 'resolved', resolution: 'revoked' })],
    ['alert', () => secretScanning.getAlert(first), { state: 'resolved', resolution: 'revoked' }],
    [
      'scans',
      () => secretScanning.getScanHistory(at),
      { backfill_scans: [{ type: 'issue' }, { type: 'pull-request' }, { type: 'git' }] },
    ],
  ]);
  const { data: patterns } = await secretScanning.listOrgPatternConfigs(of);
  const [pattern] = patterns.provider_pattern_overrides ?? [];
  const token_type = pattern?.token_type ?? '';
  const settings = [{ token_type, push_protection_setting: 'disabled' as const }];
  await follow([
    [
      'patterns',
      () =>
        secretScanning.updateOrgPatternConfigs({
          ...of,
          pattern_config_version: patterns.pattern_config_version ?? null,
          provider_pattern_settings: settings,
        }),
      { pattern_config_version: expect.any(String) },
    ],
  ]);
});

test('it publishes a website', async () => {
  const main = { branch: 'main', path: '/' } as const;
  await put('index.html', 'one');
  await follow([
    ['create', () => repos.createPagesSite({ ...at, source: main }), { source: main }],
    ['get', () => repos.getPages(at), { status: 'built', public: false }],
    ['build', () => repos.requestPagesBuild(at), { status: 'queued' }],
    ['latest', () => repos.getLatestPagesBuild(at), { status: 'built', error: { message: null } }],
    ['domain', () => repos.updateInformationAboutPagesSite({ ...at, cname: 'engine.example', source: main })],
    ['health', () => repos.getPagesHealthCheck(at), {}],
  ]);
  const { data: builds } = await repos.listPagesBuilds(at);
  const build_id = Number(builds[0]?.url.split('/').at(-1));
  expect((await repos.getPagesBuild({ ...at, build_id })).data).toEqual(builds[0]);
  const wanted = { ...at, artifact_id: 1, pages_build_version: 'v1', oidc_token: 'e30.e30.x' };
  await expect(repos.createPagesDeployment(wanted)).rejects.toMatchObject({ status: 422 });
  const deployment = { ...at, pages_deployment_id: 'v1' };
  await expect(repos.getPagesDeployment(deployment)).rejects.toMatchObject({ status: 404 });
  await expect(repos.cancelPagesDeployment(deployment)).rejects.toMatchObject({ status: 404 });
  await repos.deletePagesSite(at);
  await expect(repos.getPages(at)).rejects.toMatchObject({ status: 404 });
});

test('it reads bills, and who has a seat of an assistant', async () => {
  const users = { ...of, selected_usernames: [ben.login] };
  const { slug: team_slug } = (await rest.teams.create({ ...of, name: 'Engineers' })).data;
  const teams = { ...of, selected_teams: [team_slug] };
  await follow([
    ['usage', () => billing.getGithubBillingUsageReportOrg(of), { usageItems: [] }],
    ['requests', () => billing.getGithubBillingPremiumRequestUsageReportOrg(of), { usageItems: [] }],
    ['seat', () => copilot.addCopilotSeatsForUsers(users), { seats_created: 1 }],
    ['of a team', () => copilot.addCopilotSeatsForTeams(teams), { seats_created: 1 }],
    ['details', () => copilot.getCopilotOrganizationDetails(of), { seat_breakdown: { total: 2 } }],
    [
      'seats',
      () => copilot.listCopilotSeats(of),
      { total_seats: 2, seats: [{ assigning_team: { slug: team_slug } }, { assignee: { login: ben.login } }] },
    ],
    ['of a member', () => copilot.getCopilotSeatDetailsForUser({ ...of, username: ben.login }), { plan_type: 'unknown' }],
    ['metrics', () => copilot.copilotMetricsForOrganization(of), []],
    ['of a team', () => copilot.copilotMetricsForTeam({ ...of, team_slug }), []],
    ['cancel', () => copilot.cancelCopilotSeatAssignmentForUsers(users), { seats_cancelled: 1 }],
    ['of a team', () => copilot.cancelCopilotSeatAssignmentForTeams(teams), { seats_cancelled: 1 }],
  ]);
});

/**
 * Methods whose operations the documents don't have: those of enterprises, of people's own bills, older bills, and secrets of a
 * bot; and former paths.
 */
const elsewhere = /Enterprise|(?:Actions|Packages|SharedStorage)\w*Billing|Billing\w*User$|[oO]rgSecret|RepoSecret|PublicKey/;

test('no method of these families is left out', () => {
  type Method = { endpoint: { DEFAULTS: { method: string; url: string } } };
  const methods = Object.entries({ billing, codeSecurity, copilot, dependabot, dependencyGraph, secretScanning, repos }).flatMap(
    ([family, all]) =>
      Object.entries(all as unknown as Record<string, Method>).flatMap(([name, { endpoint }]) =>
        family !== 'repos' || /Pages/.test(name) ? [{ name: `${family}.${name}`, ...endpoint.DEFAULTS }] : [],
      ),
  );
  const missing = methods.filter(({ name, method, url }) => !used.has(`${method} ${url}`) && !elsewhere.test(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});
