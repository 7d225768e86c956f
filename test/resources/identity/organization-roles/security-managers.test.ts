import { expect, test } from 'vitest';
import { allEndpoints } from '#resources/all.ts';
import { explain } from '#server/explain.ts';
import { ownToken } from '#test/resources/code/secret-scanning/setting.ts';
import { installApp } from '#test/support/apps.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

async function setting() {
  const [owner, grace, other] = [await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  for (const user of [grace, other]) await w.member(org, user);
  const repo = await w.repo(org, { visibility: 'private', by: owner });
  const client = await w.as(owner);
  const path = `/orgs/${org.login}`;
  await client.patch(path, { default_repository_permission: 'none' });
  await client.post(`${path}/teams`, { name: 'Guards', privacy: 'closed' });
  await client.put(`${path}/teams/guards/memberships/${grace.login}`);
  return { owner, grace, other, org, repo, client, path, place: `/repos/${org.login}/${repo.name}` };
}

test('the people of a team of security managers read every repository, until it is none any more', async () => {
  const { grace, other, client, path, place } = await setting();
  const [hers, others] = [await w.as(grace), await w.as(other)];
  const url = `${path}/security-managers/teams/guards`;
  expect((await hers.get(place)).status).toBe(404);
  expect((await hers.get(`${path}/security-managers`)).status).toBe(404);

  expect((await client.put(url)).status).toBe(204);
  expect((await client.put(url)).status).toBe(204);
  expect((await hers.get(place)).body.permissions).toMatchObject({ pull: true, triage: false, push: false });
  expect((await hers.get(`${path}/repos`)).body).toHaveLength(1);
  expect((await others.get(place)).status).toBe(404);
  const list = await client.get(`${path}/security-managers`);
  expect(list.body).toMatchObject([{ slug: 'guards', privacy: 'closed' }]);
  expect((await hers.get(`${path}/security-managers`)).body).toEqual(list.body);
  expect((await others.get(`${path}/security-managers`)).status).toBe(404);

  const roles = (await client.get(`${path}/organization-roles`)).body.roles;
  const role = roles.find(({ name }: { name: string }) => name === 'security_manager');
  expect((await client.get(`${path}/organization-roles/${role.id}/teams`)).body).toMatchObject([{ slug: 'guards' }]);
  expect((await client.delete(url)).status).toBe(204);
  expect((await client.delete(url)).status).toBe(204);
  expect((await hers.get(place)).status).toBe(404);
  await client.put(`${path}/organization-roles/teams/guards/${role.id}`);
  expect((await client.get(`${path}/security-managers`)).body).toEqual(list.body);
});

test('an eleventh team is refused', async () => {
  const { client, path } = await setting();
  for (let at = 0; at < 10; at++) {
    await client.post(`${path}/teams`, { name: `t${at}` });
    expect((await client.put(`${path}/security-managers/teams/t${at}`)).status).toBe(204);
  }
  expect((await client.put(`${path}/security-managers/teams/t3`)).status).toBe(204);
  await w.unchanged(['organization_role_assignments', 'events'], async () => {
    expect((await client.put(`${path}/security-managers/teams/guards`)).status).toBe(422);
    expect((await client.put(`${path}/security-managers/teams/${fresh('none')}`)).status).toBe(404);
  });
});

test('owners alone choose the teams, and apps that administer', async () => {
  const { grace, org, client, path } = await setting();
  const url = `${path}/security-managers/teams/guards`;
  await client.put(url);
  const hers = await w.as(grace);
  for (const method of ['put', 'delete'] as const) expect((await hers[method](url)).status).toBe(403);
  const app = await w.as((await installApp(w, { on: org, permissions: { organization_administration: 'write' } })).token);
  expect((await app.get(`${path}/security-managers`)).body).toHaveLength(1);
});

test('the list costs as many statements for 1 as for many', async () => {
  const { owner, client, path } = await setting();
  await client.put(`${path}/security-managers/teams/guards`);
  const forOne = await w.statements(owner, `${path}/security-managers`);
  for (let at = 0; at < 5; at++) {
    await client.post(`${path}/teams`, { name: `t${at}` });
    await client.put(`${path}/security-managers/teams/t${at}`);
  }
  expect(await w.statements(owner, `${path}/security-managers`)).toBe(forOne);
  expect(forOne).toBe(4);
});

const scanning = (status: 'enabled' | 'disabled') => ({ security_and_analysis: { secret_scanning: { status } } });

/** The setting, with a team of security managers that Grace is in. */
async function managed() {
  const here = await setting();
  await here.client.put(`${here.path}/security-managers/teams/guards`);
  return { ...here, hers: await w.as(here.grace), others: await w.as(here.other) };
}

test('security managers change the security switches of a repository, and nothing else in it', async () => {
  const { grace, hers, client, org, repo, place } = await managed();
  await commitFiles(w, repo, { 'a.txt': 'one\n' });
  await client.put(`${place}/contents/b.txt`, { message: 'm', content: btoa('x'), branch: 'main' });
  const { body: head } = await client.get(`${place}/git/ref/heads/main`);
  await client.post(`${place}/git/refs`, { ref: 'refs/heads/side', sha: head.object.sha });
  await client.put(`${place}/contents/c.txt`, { message: 'm', content: btoa('x'), branch: 'side' });
  const { body: pull } = await client.post(`${place}/pulls`, { title: 'Side', head: 'side', base: 'main' });
  await w.settle();

  expect((await hers.get(place)).body.security_and_analysis.secret_scanning.status).toBe('disabled');
  const changed = await hers.patch(place, scanning('enabled'));
  expect(changed).toMatchObject({ status: 200, body: { permissions: { pull: true, push: false, admin: false } } });
  expect((await client.get(place)).body.security_and_analysis.secret_scanning.status).toBe('enabled');

  await w.unchanged(['repositories', 'pull_requests', 'events', 'ref_changes', 'memberships', 'teams'], async () => {
    const refused = [
      hers.patch(place, { description: 'Mine' }),
      hers.patch(place, { ...scanning('disabled'), description: 'Mine' }),
      hers.patch(place, { visibility: 'public' }),
      hers.patch(place, { archived: true }),
      hers.delete(place),
      hers.put(`${place}/contents/d.txt`, { message: 'm', content: btoa('x') }),
      hers.post(`${place}/git/refs`, { ref: 'refs/heads/hers', sha: head.object.sha }),
      hers.put(`${place}/pulls/${pull.number}/merge`),
      hers.put(`${place}/topics`, { names: ['mine'] }),
      hers.patch(`${place}/code-quality/setup`, { state: 'not-configured' }),
      hers.post(`${place}/code-scanning/sarifs`, { commit_sha: head.object.sha, ref: 'refs/heads/main', sarif: 'eA==' }),
      hers.post(`${place}/hooks`, { config: { url: 'https://hooks.example' } }),
      hers.patch(`/orgs/${org.login}`, { description: 'Mine' }),
      hers.put(`/orgs/${org.login}/security-managers/teams/guards`),
      hers.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url: 'https://hooks.example' } }),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect((await hers.get(`${place}/dependency-bot/secrets`)).status).toBe(404);
    expect((await hers.get(`/orgs/${org.login}/hooks`)).status).toBe(404);
  });
  const headers = { authorization: `Basic ${btoa(`x:${await w.token(grace)}`)}` };
  const advertised = async (service: string) =>
    (await w.hearth.app.inject({ url: `/${org.login}/${repo.name}.git/info/refs?service=${service}`, headers })).statusCode;
  expect([await advertised('git-upload-pack'), await advertised('git-receive-pack')]).toEqual([200, 403]);
});

test('security managers take private reports of a public repository', async () => {
  const { hers, others, owner, org } = await managed();
  const { name } = await w.repo(org, { visibility: 'public', by: owner });
  const url = `/repos/${org.login}/${name}/private-vulnerability-reporting`;
  expect((await others.put(url)).status).toBe(403);
  expect((await hers.put(url)).status).toBe(204);
  expect((await others.get(url)).body).toEqual({ enabled: true });
  expect((await hers.delete(url)).status).toBe(204);
});

test('they manage the security of their own organization alone, by tokens with the permission', async () => {
  const { grace, hers, org, path, place } = await managed();
  const elsewhere = await setting();
  await w.member(elsewhere.org, grace);
  expect((await hers.get(`${elsewhere.path}/secret-scanning/alerts`)).status).toBe(404);
  expect((await hers.put(`${elsewhere.place}/vulnerability-alerts`)).status).toBe(404);
  const own = await w.repo(await w.user(), { visibility: 'public' });
  expect((await hers.put(`/repos/${own.owner.login}/${own.name}/vulnerability-alerts`)).status).toBe(403);

  const by = async (permissions: Record<string, string>) => w.as(await w.fineGrained(grace, org, permissions));
  expect((await (await by({ administration: 'write' })).put(`${place}/vulnerability-alerts`)).status).toBe(204);
  expect((await (await by({ administration: 'read' })).put(`${place}/vulnerability-alerts`)).status).toBe(403);
  expect((await (await by({ secret_scanning_alerts: 'read' })).get(`${path}/secret-scanning/alerts`)).status).toBe(200);
  const withoutScope = await w.as(await w.token(grace, ['read:org']));
  expect((await withoutScope.get(`${path}/secret-scanning/alerts`)).status).toBe(404);
});

test('they are told of alerts and see them, but not those of a private fork', async () => {
  const { client, hers, others, path, place } = await managed();
  await client.put(`${place}/contents/a.txt`, { message: 'm', content: btoa('one') });
  const { body: advisory } = await client.post(`${place}/security-advisories`, {
    summary: 'It breaks',
    description: 'Badly.',
    vulnerabilities: [],
    start_private_fork: true,
  });
  const fork = `/repos/${advisory.private_fork.full_name}`;
  for (const at of [place, fork]) {
    await client.patch(at, scanning('enabled'));
    await client.put(`${at}/contents/a.env`, { message: 'm', content: btoa(ownToken()) });
  }
  await w.settle();
  const shown = async (who: typeof client) =>
    (await who.get(`${path}/secret-scanning/alerts`)).body.map(
      ({ repository }: { repository: { name: string } }) => repository.name,
    );
  expect(await shown(client)).toHaveLength(2);
  expect(await shown(hers)).toEqual([place.split('/').at(-1)]);
  const walked = await hers.get(`${path}/secret-scanning/alerts?per_page=1`);
  expect(walked.body).toHaveLength(1);
  expect(walked.headers.link).toBeUndefined();
  expect((await hers.get(`${place}/secret-scanning/alerts/1`)).status).toBe(200);
  for (const url of [fork, `${fork}/secret-scanning/alerts/1`]) expect((await hers.get(url)).status).toBe(404);
  expect((await hers.put(`${fork}/vulnerability-alerts`)).status).toBe(404);
  const { body: configuration } = await hers.post(`${path}/code-security/configurations`, {
    name: 'Engines',
    secret_scanning: 'enabled',
  });
  const attach = async (who: typeof client, at: string) => {
    const { id } = (await client.get(at)).body;
    const url = `${path}/code-security/configurations/${configuration.id}/attach`;
    return (await who.post(url, { scope: 'selected', selected_repository_ids: [id] })).status;
  };
  expect([await attach(hers, fork), await attach(hers, place), await attach(client, fork)]).toEqual([422, 202, 202]);
  await w.settle();
  const attached = async (who: typeof client) =>
    (await who.get(`${path}/code-security/configurations/${configuration.id}/repositories`)).body.length;
  expect([await attached(hers), await attached(client)]).toEqual([1, 2]);

  const subjects = async (who: typeof client) =>
    (await who.get('/notifications')).body.map(({ subject }: { subject: { type: string } }) => subject.type);
  expect(await subjects(hers)).toEqual(['SecretScanningAlert']);
  expect(await subjects(others)).toEqual([]);
  expect((await client.delete(`${path}/security-managers/teams/guards`)).status).toBe(204);
  expect(await subjects(hers)).toEqual([]);
});

test('their requests cost as many statements as those of owners', async () => {
  const { owner, grace, path, place, hers } = await managed();
  await hers.patch(place, scanning('enabled'));
  for (const url of [`${place}/secret-scanning/alerts`, `${path}/secret-scanning/alerts`, place])
    expect(await w.statements(grace, url), url).toBe(await w.statements(owner, url));
});

test('an explanation names the role that is enough', async () => {
  const { grace, other, path } = await managed();
  const roleStep = async (who: typeof grace) => {
    const explained = await explain({
      db: w.db,
      endpoints: allEndpoints,
      authorization: `Bearer ${await w.token(who)}`,
      method: 'GET',
      path: `${path}/secret-scanning/alerts`,
      now: w.clock.now,
      url: undefined,
    });
    return explained.steps.find(({ check }) => check === 'role');
  };
  expect(await roleStep(grace)).toEqual({
    check: 'role',
    passed: true,
    because: 'needs owner or security_manager, is security_manager',
  });
  expect(await roleStep(other)).toEqual({ check: 'role', passed: false, because: 'needs owner or security_manager' });
});
