import { expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { fresh } from '#test/support/world.ts';

const { here, owner, org, client, target } = await listening();

async function setting(visibility: 'public' | 'private' = 'public') {
  const repo = await here.repo(org, { name: fresh('engine'), by: owner, visibility });
  await here.settle();
  target.requests.length = 0;
  return { repo, path: `/repos/${org.login}/${repo.name}` };
}

const status = async (path: string) => (await client.get(path)).status;
const blockOf = async (path: string) => (await client.get(path)).body.security_and_analysis;

test('vulnerability alerts are turned on, asked for and turned off', async () => {
  const { path } = await setting();
  const at = `${path}/vulnerability-alerts`;
  expect(await status(at)).toBe(404);
  expect((await client.put(at)).status).toBe(204);
  expect((await client.put(at)).status).toBe(204);
  expect(await status(at)).toBe(204);
  expect((await client.delete(at)).status).toBe(204);
  expect(await status(at)).toBe(404);
});

test('automated fixes need alerts, and go with them', async () => {
  const { path } = await setting();
  const [alerts, fixes] = [`${path}/vulnerability-alerts`, `${path}/automated-security-fixes`];
  await here.unchanged(['repositories', 'events'], async () => {
    const message = 'Vulnerability alerts must be enabled to configure automated security fixes.';
    expect(await client.put(fixes)).toMatchObject({ status: 422, body: { message } });
  });
  expect(await status(fixes)).toBe(404);
  await client.put(alerts);
  expect((await client.get(fixes)).body).toEqual({ enabled: false, paused: false });
  expect((await client.put(fixes)).status).toBe(204);
  expect((await client.get(fixes)).body).toEqual({ enabled: true, paused: false });
  expect(await blockOf(path)).toMatchObject({ dependabot_security_updates: { status: 'enabled' } });
  await client.delete(fixes);
  expect((await client.get(fixes)).body).toEqual({ enabled: false, paused: false });
  await client.put(fixes);
  await client.delete(alerts);
  await client.put(alerts);
  expect((await client.get(fixes)).body).toEqual({ enabled: false, paused: false });
});

test('private reporting is for public repositories, and everybody may ask whether it is on', async () => {
  const { path } = await setting();
  const at = `${path}/private-vulnerability-reporting`;
  expect((await client.put(at)).status).toBe(204);
  expect((await (await here.as(undefined)).get(at)).body).toEqual({ enabled: true });
  await client.patch(path, { visibility: 'private' });
  expect((await client.get(at)).body).toEqual({ enabled: false });
  await here.unchanged(['repositories', 'events'], async () => expect((await client.put(at)).status).toBe(422));
  expect((await client.delete(at)).status).toBe(204);
  await client.patch(path, { visibility: 'public' });
  expect((await client.get(at)).body).toEqual({ enabled: false });
});

test('a PATCH of the repository turns switches on, the webhook tells what they were', async () => {
  const { path } = await setting();
  const off = { status: 'disabled' };
  const all = {
    secret_scanning: off,
    secret_scanning_push_protection: off,
    secret_scanning_non_provider_patterns: off,
    dependabot_security_updates: off,
  };
  expect(await blockOf(path)).toEqual(all);
  const on = { status: 'enabled' };
  const wanted = { secret_scanning: on, secret_scanning_push_protection: on };
  const { body } = await client.patch(path, { security_and_analysis: wanted });
  expect(body.security_and_analysis).toEqual({ ...all, ...wanted });
  expect(await heard(here, target)).toMatchObject({
    security_and_analysis: { changes: { from: { security_and_analysis: all } }, repository: { name: body.name } },
  });
  await client.patch(path, { security_and_analysis: wanted });
  await client.put(`${path}/vulnerability-alerts`);
  expect(await heard(here, target)).toEqual({});
  await client.patch(path, { security_and_analysis: { secret_scanning: off } });
  expect(await blockOf(path)).toEqual(all);
  expect(Object.keys(await heard(here, target))).toEqual(['security_and_analysis']);
});

test.each([
  { secret_scanning_push_protection: { status: 'enabled' } },
  { secret_scanning_non_provider_patterns: { status: 'enabled' } },
  { secret_scanning: { status: 'disabled' }, secret_scanning_push_protection: { status: 'enabled' } },
  { secret_scanning: { status: 'on' } },
  { secret_scanning: true },
])('%j is refused, and nothing changes', async (security_and_analysis) => {
  const { path } = await setting();
  await here.unchanged(['repositories', 'events'], async () =>
    expect((await client.patch(path, { description: 'New', security_and_analysis })).status).toBe(422),
  );
});

test('only administrators see the switches, and only credentials that may read the administration', async () => {
  const { repo, path } = await setting();
  const writer = await here.user();
  await here.collaborator(repo, writer, 'maintain');
  const seen = async (token: string) => (await (await here.as(token)).get(path)).body.security_and_analysis !== undefined;
  expect(await seen(await here.token(writer))).toBe(false);
  expect(await seen(await here.token(owner))).toBe(true);
  expect(await seen(await here.token(owner, ['read:org']))).toBe(false);
  expect(await seen(await here.fineGrained(owner, org, { metadata: 'read' }))).toBe(false);
  expect(await seen(await here.fineGrained(owner, org, { administration: 'read' }))).toBe(true);
});

test('new repositories of an organization begin with what it wants', async () => {
  const mine = await here.org(owner);
  await client.patch(`/orgs/${mine.login}`, {
    secret_scanning_enabled_for_new_repositories: true,
    secret_scanning_push_protection_enabled_for_new_repositories: true,
    dependabot_alerts_enabled_for_new_repositories: true,
  });
  const { body } = await client.post(`/orgs/${mine.login}/repos`, { name: 'engine' });
  expect(body.security_and_analysis).toMatchObject({
    secret_scanning: { status: 'enabled' },
    secret_scanning_push_protection: { status: 'enabled' },
    dependabot_security_updates: { status: 'disabled' },
  });
  expect(await status(`/repos/${mine.login}/engine/vulnerability-alerts`)).toBe(204);
});

test('a switch costs few statements', async () => {
  const { path } = await setting();
  expect(await here.statements(owner, `${path}/private-vulnerability-reporting`)).toBe(1);
});

test('the switches of secrets are turned on and off together by the repository', async () => {
  const { path } = await setting();
  for (const state of ['enabled', 'disabled']) {
    const security_and_analysis = {
      secret_scanning: { status: state },
      secret_scanning_push_protection: { status: state },
      secret_scanning_non_provider_patterns: { status: state },
    };
    expect((await client.patch(path, { security_and_analysis })).body.security_and_analysis).toMatchObject(security_and_analysis);
  }
});
