import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { fresh, world } from '#test/support/world.ts';
import { advisoryFolder, advisoryOf, loadFolder, lockOf, writeAdvisory } from './setting.ts';

const folder = await advisoryFolder();
atEndOfFile(() => rm(folder, { recursive: true }));
const here = await world({ vocabulary: 'github', advisories: folder });
const { owner, org, client, target } = await listening();
const id = 'GHSA-2345-6789-cfgh';
await writeAdvisory(folder, advisoryOf(id, 'left', '1.2.0'));
await loadFolder(here);

const load = () => loadFolder(here);

/** A repository with vulnerability alerts, and what may be done with its files. */
async function setting() {
  const repo = await here.repo(org, { name: fresh('engine'), by: owner, visibility: 'private' });
  const path = `/repos/${org.login}/${repo.name}`;
  await client.put(`${path}/vulnerability-alerts`);
  const shas = new Map<string, string>();
  const put = async (file: string, text: string) => {
    const { body } = await client.put(`${path}/contents/${file}`, {
      message: `Change ${file}`,
      content: Buffer.from(text).toString('base64'),
      sha: shas.get(file),
    });
    shas.set(file, body.content.sha);
    await here.settle();
  };
  const remove = async (file: string) => {
    await client.delete(`${path}/contents/${file}`, { message: `Remove ${file}`, sha: shas.get(file) });
    await here.settle();
  };
  const at = `${path}/dependency-bot/alerts`;
  const states = async () => (await client.get(at)).body.map(({ state }: { state: string }) => state);
  await here.settle();
  target.requests.length = 0;
  return { repo, path, at, put, remove, states };
}

test('a vulnerable lockfile raises an alert, and its repair closes it', async () => {
  const { path, at, put, remove, states, repo } = await setting();
  await put('web/package-lock.json', lockOf({ left: '1.1.0', right: '1.0.0' }));
  const { body: alerts } = await client.get(at);
  expect(alerts).toMatchObject([
    {
      number: 1,
      state: 'open',
      dependency: {
        package: { ecosystem: 'npm', name: 'left' },
        manifest_path: 'web/package-lock.json',
        scope: 'runtime',
        relationship: 'direct',
      },
      security_advisory: {
        ghsa_id: id,
        cve_id: 'CVE-2026-1234',
        severity: 'critical',
        cvss: { score: 9.8 },
        identifiers: [{ type: 'GHSA', value: id }, { type: 'CVE' }],
      },
      security_vulnerability: { vulnerable_version_range: '< 1.2.0', first_patched_version: { identifier: '1.2.0' } },
    },
  ]);
  expect((await client.get(`${at}/1`)).body).toEqual(alerts[0]);
  expect((await client.get(alerts[0].url.replace(/.*\/api\/v3/, ''))).body).toEqual(alerts[0]);
  const told = await heard(here, target);
  expect(told['dependabot_alert.created']).toMatchObject({
    alert: { number: 1, security_advisory: { ghsa_id: id } },
    repository: { name: repo.name },
    sender: { login: owner.login },
  });
  expect(told['repository_vulnerability_alert.create']).toMatchObject({
    alert: {
      number: 1,
      state: 'open',
      severity: 'critical',
      affected_package_name: 'left',
      affected_range: '< 1.2.0',
      fixed_in: '1.2.0',
      ghsa_id: id,
      external_identifier: 'CVE-2026-1234',
      external_reference: 'https://advisories.example/1',
    },
    repository: { name: repo.name },
  });

  const threads = async () => (await client.get(`${path}/notifications`)).body;
  const type = 'RepositoryDependabotAlertsThread';
  expect(await threads()).toMatchObject([{ reason: 'security_alert', subject: { type, url: null }, unread: true }]);

  await put('web/package-lock.json', lockOf({ left: '1.2.0' }));
  expect(await states()).toEqual(['fixed']);
  const repaired = await heard(here, target);
  expect(repaired['dependabot_alert.fixed']).toMatchObject({ alert: { number: 1, state: 'fixed' } });
  expect(repaired['repository_vulnerability_alert.resolve']).toMatchObject({ alert: { number: 1, state: 'fixed' } });
  await put('web/package-lock.json', lockOf({ left: '1.0.0' }));
  expect(await states()).toEqual(['open']);
  const again = await heard(here, target);
  expect(again).toHaveProperty(['dependabot_alert.reintroduced']);
  expect(again['repository_vulnerability_alert.reopen']).toMatchObject({ alert: { number: 1, state: 'open' } });
  // A file that can't be read any more repairs nothing; one that is gone does.
  await put('web/package-lock.json', '{ broken');
  expect(await states()).toEqual(['open']);
  expect((await client.get(`${path}/dependency-graph/sbom`)).body.sbom.comment).toContain('web/package-lock.json');
  await remove('web/package-lock.json');
  expect(await states()).toEqual(['fixed']);
});

test('alerts are dismissed with a reason, and opened again', async () => {
  const { at, put, states } = await setting();
  await put('package-lock.json', lockOf({ left: '1.1.0' }));
  expect((await client.patch(`${at}/1`, { state: 'dismissed' })).status).toBe(422);
  expect((await client.patch(`${at}/1`, { state: 'open', dismissed_reason: 'not_used' })).status).toBe(422);
  expect((await client.patch(`${at}/1`, { state: 'fixed' })).status).toBe(422);
  expect(
    (await client.patch(`${at}/1`, { state: 'dismissed', dismissed_reason: 'not_used', dismissed_comment: 'x'.repeat(281) }))
      .status,
  ).toBe(422);
  expect(await states()).toEqual(['open']);
  const wanted = { state: 'dismissed', dismissed_reason: 'tolerable_risk', dismissed_comment: 'Only in tests' };
  const { body: dismissed } = await client.patch(`${at}/1`, wanted);
  expect(dismissed).toMatchObject({ ...wanted, dismissed_by: { login: owner.login } });
  await put('README.md', 'more');
  expect(await states()).toEqual(['dismissed']);
  expect((await client.get(`${at}?state=open,fixed`)).body).toEqual([]);
  expect((await client.get(`${at}?severity=critical&package=left&has=patch&scope=runtime`)).body).toHaveLength(1);
  expect((await client.get(`${at}?state=gone`)).status).toBe(422);
  expect((await client.patch(`${at}/1`, { state: 'open' })).body).toMatchObject({
    state: 'open',
    dismissed_reason: null,
    dismissed_at: null,
  });
  const told = await heard(here, target);
  expect(told).toHaveProperty(['dependabot_alert.dismissed']);
  expect(told).toHaveProperty(['dependabot_alert.reopened']);
  expect(told).toHaveProperty(['repository_vulnerability_alert.reopen']);
  await put('package-lock.json', lockOf({ left: '2.0.0' }));
  expect((await client.patch(`${at}/1`, { state: 'open' })).status).toBe(409);
});

test('alerts are assigned to who may write, told by replies and found by filters', async () => {
  const { at, put, repo } = await setting();
  await put('package-lock.json', lockOf({ left: '1.1.0' }));
  await put('web/package-lock.json', lockOf({ left: '1.1.0' }));
  const [helper, reader] = [await here.user(), await here.user()];
  await here.collaborator(repo, helper, 'write');
  await here.collaborator(repo, reader, 'read');
  expect((await client.get(`${at}/1`)).body.assignees).toEqual([]);
  await here.unchanged(['dependency_alert_assignees', 'dependency_alerts'], async () => {
    for (const login of [reader.login, org.login, 'nobody-of-this-name']) {
      const refused = await client.patch(`${at}/1`, { assignees: [helper.login, login] });
      expect([refused.status, refused.body.errors]).toEqual([422, [expect.stringMatching('^assignees: ')]]);
    }
    for (const wanted of [{}, { dismissed_comment: 'Why' }, { assignees: helper.login }, { assignees: [''] }])
      expect((await client.patch(`${at}/1`, wanted)).status, JSON.stringify(wanted)).toBe(422);
    const both = { state: 'dismissed', assignees: [helper.login] };
    expect((await client.patch(`${at}/1`, both)).status).toBe(422);
    expect((await (await here.as(reader)).patch(`${at}/1`, { assignees: [] })).status).toBeGreaterThanOrEqual(403);
  });
  const logins = [helper.login.toUpperCase(), owner.login, helper.login];
  const { body: assigned } = await client.patch(`${at}/1`, { assignees: logins });
  const people = (alert: { assignees: { login: string }[] }) => alert.assignees.map(({ login }) => login).sort();
  expect([assigned.state, people(assigned)]).toEqual(['open', [helper.login, owner.login].sort()]);
  const numbers = async (query: string, list = at) =>
    (await client.get(`${list}?${query}`)).body.map(({ number }: { number: number }) => number);
  expect(await numbers(`assignee=${helper.login}`)).toEqual([1]);
  expect(await numbers(`assignee=${reader.login},${helper.login.toUpperCase()}`)).toEqual([1]);
  expect(await numbers(`assignee=${reader.login}`)).toEqual([]);
  expect(await numbers('assignee=*')).toEqual([1]);
  expect(await numbers('assignee=none')).toEqual([2]);
  expect(await numbers(`assignee=${helper.login}`, `/orgs/${org.login}/dependency-bot/alerts`)).toEqual([1]);

  const dismissed = { state: 'dismissed', dismissed_reason: 'not_used', assignees: [owner.login] };
  expect((await client.patch(`${at}/1`, dismissed)).body).toMatchObject({
    state: 'dismissed',
    assignees: [{ login: owner.login }],
  });
  expect(await heard(here, target)).toHaveProperty(['dependabot_alert.dismissed']);
  // What is fixed can still be assigned, as by whoever looks into it.
  await put('package-lock.json', lockOf({ left: '2.0.0' }));
  expect((await client.patch(`${at}/1`, { assignees: [] })).body.assignees).toEqual([]);
  expect(await numbers('assignee=none')).toEqual([2, 1]);

  for (const number of [1, 2]) await client.patch(`${at}/${number}`, { assignees: [owner.login, helper.login].slice(0, number) });
  const one = await here.statements(owner, `${at}?assignee=${helper.login}`);
  expect(await numbers('assignee=*')).toHaveLength(2);
  expect(await here.statements(owner, `${at}?assignee=*`)).toBe(one);
  expect(one).toBeLessThanOrEqual(6);
});

test('advisories that come, change, are withdrawn or removed change alerts', async () => {
  const { at, put, states } = await setting();
  const name = fresh('pkg');
  const other = 'GHSA-pqrv-wx23-4567';
  await put('package-lock.json', lockOf({ [name]: '1.1.0' }));
  expect(await states()).toEqual([]);
  await writeAdvisory(folder, advisoryOf(other, name, '1.1.1'));
  await load();
  expect(await states()).toEqual(['open']);
  await writeAdvisory(folder, advisoryOf(other, name, '1.1.0', { details: 'It was repaired before.' }));
  await load();
  expect(await states()).toEqual(['fixed']);
  await writeAdvisory(folder, advisoryOf(other, name, undefined));
  await load();
  expect((await client.get(at)).body).toMatchObject([{ state: 'open', security_vulnerability: { first_patched_version: null } }]);
  await writeAdvisory(folder, advisoryOf(other, name, undefined, { withdrawn: '2026-01-03T00:00:00Z' }));
  await load();
  expect(await states()).toEqual(['auto_dismissed']);
  target.requests.length = 0;
  await writeAdvisory(folder, advisoryOf(other, name, undefined, { details: 'It is one after all.' }));
  await load();
  expect(await states()).toEqual(['open']);
  expect(await heard(here, target)).toHaveProperty(['dependabot_alert.auto_reopened']);
  await rm(join(folder, `${other}.json`));
  await load();
  expect((await client.get(at)).body).toMatchObject([{ state: 'auto_dismissed', security_advisory: { ghsa_id: other } }]);
});

test('alerts are there while the switch is on, for those who may write', async () => {
  const { at, path, put, repo } = await setting();
  await put('package-lock.json', lockOf({ left: '1.1.0' }));
  const reader = await here.user();
  await here.collaborator(repo, reader, 'read');
  expect((await (await here.as(reader)).get(at)).status).toBe(404);
  const { body: listed } = await client.get(`/orgs/${org.login}/dependency-bot/alerts?state=open`);
  expect(listed.filter(({ repository }: { repository: { name: string } }) => repository.name === repo.name)).toHaveLength(1);
  expect((await client.get(`/orgs/${org.login}/dependency-bot/alerts?state=gone`)).status).toBe(422);
  await client.delete(`${path}/vulnerability-alerts`);
  await here.settle();
  expect((await client.get(at)).status).toBe(403);
  expect((await client.get(`${path}/notifications`)).body).toEqual([]);
  expect((await client.get(`${at}/1`)).status).toBe(404);
  expect((await client.get(`${path}/dependency-graph/sbom`)).status).toBe(404);
  await client.put(`${path}/vulnerability-alerts`);
  await here.settle();
  expect((await client.get(at)).body).toHaveLength(1);
});

test('a bill of materials names what is used; lists cost the same for one and many', async () => {
  const { at, path, put } = await setting();
  await put('a/package-lock.json', lockOf({ left: '1.1.0', '@x/y': '2.0.0' }));
  const { body } = await client.get(`${path}/dependency-graph/sbom`);
  expect(body.sbom).toMatchObject({ spdxVersion: 'SPDX-2.3', name: expect.stringContaining(org.login) });
  expect(
    body.sbom.packages.flatMap((one: { externalRefs?: { referenceLocator: string }[] }) => one.externalRefs ?? []),
  ).toMatchObject([{ referenceLocator: 'pkg:npm/%40x/y@2.0.0' }, { referenceLocator: 'pkg:npm/left@1.1.0' }]);
  const one = await here.statements(owner, at);
  for (const name of ['b', 'c', 'd']) await put(`${name}/package-lock.json`, lockOf({ left: '1.1.0' }));
  expect((await client.get(at)).body).toHaveLength(4);
  expect(await here.statements(owner, at)).toBe(one);
  expect(one).toBeLessThanOrEqual(6);
  expect(await here.statements(owner, `${path}/dependency-graph/sbom`)).toBeLessThanOrEqual(5);
});

test('alerts that are turned on after the graph was read are compared with it', async () => {
  const { at, path, put, states } = await setting();
  await client.delete(`${path}/vulnerability-alerts`);
  await client.post(`/orgs/${org.login}/dependency_graph/enable_all`);
  await here.settle();
  await put('package-lock.json', lockOf({ left: '1.1.0' }));
  expect((await client.get(at)).status).toBe(403);
  await client.put(`${path}/vulnerability-alerts`);
  await here.settle();
  expect(await states()).toEqual(['open']);
});
