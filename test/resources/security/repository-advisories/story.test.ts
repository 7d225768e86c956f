// From outside: somebody reports a vulnerability in private, maintainers repair it in a private fork, and publish what was wrong.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { lockOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { fresh } from '#test/support/world.ts';

const { here, owner, org, client, target } = await listening();
const folder = await mkdtemp(join(tmpdir(), 'hearth-forks-'));
atEndOfFile(() => rm(folder, { recursive: true }));
const run = promisify(execFile);
const git = async (...given: string[]) =>
  (await run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-C', folder, ...given])).stdout;
const octokitOf = async (token: string) =>
  new Octokit({ baseUrl: `${here.url}/api/v3`, auth: token, throttle: { enabled: false } });

const put = async (path: string, file: string, text: string) => {
  const content = Buffer.from(text).toString('base64');
  expect((await client.put(`${path}/contents/${file}`, { message: `Add ${file}`, content })).status).toBe(201);
};

test('an outsider reports in private, maintainers fork in private, repair, and publish', async () => {
  const [reporter, stranger, member] = await Promise.all([here.user(), here.user(), here.user()]);
  await here.member(org, member);
  const repo = await here.repo(org, { name: fresh('engine'), by: owner });
  const path = `/repos/${org.login}/${repo.name}`;
  const named = { owner: org.login, repo: repo.name };
  await put(path, 'engine.js', 'log(token)');
  const token = await here.token(reporter);
  const reporting = await here.as(token);
  const outside = (await octokitOf(token)).rest.securityAdvisories;
  const inside = (await octokitOf(await here.token(owner))).rest.securityAdvisories;
  const report = {
    ...named,
    summary: 'Tokens are logged',
    description: 'The log has every token in full.',
    cwe_ids: ['CWE-532'],
    cvss_vector_string: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  };
  await expect(outside.createPrivateVulnerabilityReport(report)).rejects.toMatchObject({ status: 403 });
  expect((await client.put(`${path}/private-vulnerability-reporting`)).status).toBe(204);
  await here.settle();
  target.requests.length = 0;

  const { data: reported } = await outside.createPrivateVulnerabilityReport(report);
  expect(reported).toMatchObject({
    ghsa_id: expect.stringMatching(/^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/),
    state: 'triage',
    submission: { accepted: false },
    severity: 'critical',
    cvss: { score: 9.8 },
    cwe_ids: ['CWE-532'],
    author: { login: reporter.login },
    collaborating_users: [{ login: reporter.login }],
    credits: [{ login: reporter.login, type: 'reporter' }],
  });
  const { ghsa_id } = reported;
  const at = `${path}/security-advisories/${ghsa_id}`;
  expect((await heard(here, target))['repository_advisory.reported']).toMatchObject({
    repository_advisory: { ghsa_id, state: 'triage' },
    repository: { name: repo.name },
    sender: { login: reporter.login },
  });

  const { body: threads } = await client.get(`${path}/notifications`);
  const url = expect.stringContaining(at);
  expect(threads).toMatchObject([
    { reason: 'security_alert', subject: { type: 'RepositoryAdvisory', title: 'Tokens are logged', url } },
  ]);
  expect((await reporting.get('/notifications')).body).toEqual([]);

  // Nobody else learns of it.
  for (const who of [stranger, member, undefined]) {
    const other = await here.as(who);
    expect((await other.get(at)).status).toBe(404);
    expect((await other.get(`${path}/security-advisories`)).body).toEqual([]);
  }
  expect((await inside.listRepositoryAdvisories(named)).data).toMatchObject([{ ghsa_id }]);
  expect((await outside.listRepositoryAdvisories(named)).data).toMatchObject([{ ghsa_id }]);
  expect((await inside.listOrgRepositoryAdvisories({ org: org.login, state: 'triage' })).data).toMatchObject([{ ghsa_id }]);

  // The reporter may say more, and no more than that.
  await outside.updateRepositoryAdvisory({ ...named, ghsa_id, description: 'Also of passwords.' });
  for (const wanted of [{ state: 'draft' as const }, { state: 'closed' as const }, { collaborating_users: [] }])
    await expect(outside.updateRepositoryAdvisory({ ...named, ghsa_id, ...wanted })).rejects.toMatchObject({ status: 403 });
  await expect(outside.createFork({ ...named, ghsa_id })).rejects.toMatchObject({ status: 403 });
  await expect(inside.updateRepositoryAdvisory({ ...named, ghsa_id, state: 'published' })).rejects.toMatchObject({ status: 422 });

  const { data: accepted } = await inside.updateRepositoryAdvisory({ ...named, ghsa_id, state: 'draft' });
  expect(accepted).toMatchObject({ state: 'draft', submission: { accepted: true } });
  const { data: fork } = await inside.createFork({ ...named, ghsa_id });
  const name = `${repo.name}-${ghsa_id.toLowerCase()}`;
  expect(fork).toMatchObject({ name, private: true, fork: true, owner: { login: org.login } });
  await expect(inside.createFork({ ...named, ghsa_id })).rejects.toMatchObject({ status: 422 });
  const hidden = `/repos/${org.login}/${name}`;
  expect((await outside.getRepositoryAdvisory({ ...named, ghsa_id })).data.private_fork).toMatchObject({ name });
  for (const who of [stranger, member]) {
    const other = await here.as(who);
    expect((await other.get(hidden)).status).toBe(404);
    expect((await other.get(`/orgs/${org.login}/repos`)).body.map((one: { name: string }) => one.name)).not.toContain(name);
  }
  expect((await client.get(path)).body).toMatchObject({ forks_count: 0, network_count: 0 });
  expect((await client.get(`${path}/forks`)).body).toEqual([]);

  // It works as any repository for those who work on the advisory.
  await git('clone', '-q', `${here.url.replace('//', `//x:${token}@`)}/${org.login}/${name}.git`, 'fork');
  await writeFile(join(folder, 'fork/engine.js'), 'log("***")');
  for (const step of [
    ['checkout', '-qb', 'repair'],
    ['commit', '-qam', 'Log no tokens'],
    ['push', '-q', 'origin', 'repair'],
  ])
    await git('-C', join(folder, 'fork'), ...step);
  const { body: pull } = await reporting.post(`${hidden}/pulls`, { title: 'Log no tokens', head: 'repair', base: 'main' });
  expect(pull).toMatchObject({ number: 1, base: { ref: 'main' } });
  expect((await client.put(`${hidden}/pulls/1/merge`)).status).toBe(200);
  expect((await client.post(`${hidden}/forks`)).status).toBe(403);
  expect((await client.patch(hidden, { visibility: 'public' })).status).toBe(422);
  expect((await client.post(`${path}/transfer`, { new_owner: owner.login })).status).toBe(422);
  // To the repository itself, its maintainers push what they repaired.
  await git('-C', join(folder, 'fork'), 'pull', '-q', '--ff-only', 'origin', 'main:main');
  const secret = await here.token(owner);
  await git(
    '-C',
    join(folder, 'fork'),
    'push',
    '-q',
    `${here.url.replace('//', `//x:${secret}@`)}/${org.login}/${repo.name}.git`,
    'main',
  );

  await here.settle();
  expect(target.requests.filter(({ body }) => body.includes(name))).toEqual([]);
  target.requests.length = 0;
  const { data: published } = await inside.updateRepositoryAdvisory({
    ...named,
    ghsa_id,
    state: 'published',
    cve_id: 'CVE-2026-12345',
    vulnerabilities: [
      { package: { ecosystem: 'npm', name: 'engine' }, vulnerable_version_range: '< 1.2.3', patched_versions: '1.2.3' },
    ],
  });
  await expect(outside.updateRepositoryAdvisory({ ...named, ghsa_id, summary: 'Nothing' })).rejects.toMatchObject({
    status: 403,
  });
  expect(published).toMatchObject({
    state: 'published',
    published_at: expect.any(String),
    publisher: { login: owner.login },
    private_fork: null,
    identifiers: [{ type: 'GHSA' }, { type: 'CVE', value: 'CVE-2026-12345' }],
  });
  const told = await heard(here, target);
  expect(told['repository_advisory.published']).toMatchObject({ repository_advisory: { ghsa_id } });
  expect((await client.get(hidden)).status).toBe(404);

  const anybody = await here.as(undefined);
  expect((await anybody.get(at)).body).toMatchObject({
    state: 'published',
    author: null,
    collaborating_users: null,
    credits: [{ login: reporter.login }],
  });
  const { data: known } = await outside.getGlobalAdvisory({ ghsa_id });
  expect(known).toMatchObject({
    type: 'unreviewed',
    severity: 'critical',
    vulnerabilities: [{ package: { name: 'engine' }, first_patched_version: '1.2.3' }],
    credits: [{ user: { login: reporter.login } }],
  });
  expect((await outside.listGlobalAdvisories({ type: 'unreviewed', affects: 'engine@1.0.0' })).data).toMatchObject([{ ghsa_id }]);
  expect((await outside.listGlobalAdvisories({ type: 'unreviewed', affects: 'engine@1.2.3' })).data).toEqual([]);
  await expect(inside.createRepositoryAdvisoryCveRequest({ ...named, ghsa_id })).rejects.toMatchObject({ status: 422 });
});

test('a published advisory raises alerts in repositories of its owner, until it is withdrawn', async () => {
  const name = fresh('lib');
  const repo = await here.repo(org, { name, by: owner });
  const path = `/repos/${org.login}/${name}`;
  const dependent = async (holder: typeof org) => {
    const { name: own } = await here.repo(holder, { by: owner });
    const at = `/repos/${holder.login}/${own}`;
    await client.put(`${at}/vulnerability-alerts`);
    await put(at, 'package-lock.json', lockOf({ [name]: '1.0.0' }));
    return async () => (await client.get(`${at}/dependency-bot/alerts`)).body.map(({ state }: { state: string }) => state);
  };
  const near = await dependent(org);
  const far = await dependent(owner);
  const { rest } = await octokitOf(await here.token(owner));
  const { data: body } = await rest.securityAdvisories.createRepositoryAdvisory({
    owner: org.login,
    repo: name,
    summary: 'It breaks',
    description: 'Badly.',
    severity: 'high',
    vulnerabilities: [{ package: { ecosystem: 'npm', name }, vulnerable_version_range: '< 1.2.3' }],
  });
  const at = `${path}/security-advisories/${body.ghsa_id}`;
  await here.settle();
  expect(await near()).toEqual([]);
  expect((await client.patch(at, { state: 'published' })).status).toBe(200);
  await here.settle();
  expect(await near()).toEqual(['open']);
  expect(await far()).toEqual([]);
  expect((await client.patch(at, { state: 'draft' })).status).toBe(422);
  expect((await client.patch(at, { state: 'closed' })).body).toMatchObject({
    state: 'withdrawn',
    withdrawn_at: expect.any(String),
  });
  await here.settle();
  expect(await near()).toEqual(['auto_dismissed']);
  expect((await client.get('/advisories?type=unreviewed&is_withdrawn=true')).body).toMatchObject([{ ghsa_id: body.ghsa_id }]);
  // What goes with its repository is known to nobody any more.
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(`/advisories/${body.ghsa_id}`)).status).toBe(404);
  expect(repo.name).toBe(name);
});
