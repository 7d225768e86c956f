import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';

async function setting() {
  const here = await world();
  const owner = await here.user();
  const repo = await here.repo(owner);
  return { here, owner, repo, target: await receiver(), path: `/repos/${owner.login}/${repo.name}/hooks` };
}

test('an administrator makes a webhook of a repository; it is pinged, tested and tells of its last answer', async () => {
  const { here, owner, repo, target, path } = await setting();
  const client = await here.as(owner);
  const reply = await client.post(path, { config: { url: target.url, content_type: 'json' } });
  expect(reply).toMatchObject({
    status: 201,
    body: { type: 'Repository', name: 'web', events: ['push'], last_response: { code: null, status: 'unused', message: null } },
  });
  await here.settle();
  expect(target.requests[0]?.headers).toMatchObject({
    'x-service-event': 'ping',
    'x-service-hook-installation-target-type': 'repository',
    'x-service-hook-installation-target-id': String(repo.id),
  });
  expect(JSON.parse(target.requests[0]?.body ?? '')).toMatchObject({
    hook: { type: 'Repository', test_url: `${reply.body.url}/tests` },
    repository: { full_name: `${owner.login}/${repo.name}` },
    sender: { login: owner.login },
  });
  // All receivers see the repository alike: what its administrator may do there isn't shown.
  expect(JSON.parse(target.requests[0]?.body ?? '').repository).not.toHaveProperty('permissions');
  expect((await client.get(`${path}/${reply.body.id}`)).body.last_response).toEqual({
    code: 200,
    status: 'active',
    message: 'OK',
  });

  expect((await client.post(`${path}/${reply.body.id}/tests`)).status).toBe(204);
  await here.settle();
  expect(target.requests).toHaveLength(1); // nothing was pushed yet
});

test('the test of a hook sends the last push, if the hook listens for pushes', async () => {
  const { here, owner, target } = await setting();
  const client = await here.as(owner);
  const { body: repo } = await client.post('/user/repos', { name: `tested-${owner.login}`, auto_init: true });
  const path = `/repos/${repo.full_name}/hooks`;
  await here.settle();
  const { body: hook } = await client.post(path, { config: { url: target.url, content_type: 'json' } });
  const { body: deaf } = await client.post(path, { config: { url: target.url, content_type: 'json' }, events: ['fork'] });
  await here.settle();
  target.requests.length = 0;
  await client.post(`${path}/${hook.id}/tests`);
  await client.post(`${path}/${deaf.id}/tests`);
  await here.settle();
  expect(target.requests.map(({ headers }) => headers['x-service-event'])).toEqual(['push']);
  expect(JSON.parse(target.requests[0]?.body ?? '')).toMatchObject({
    ref: 'refs/heads/main',
    commits: [{ message: 'Initial commit' }],
  });
});

test('a webhook of a repository is pinged, sends again what it sent, and sends elsewhere after a change of its configuration', async () => {
  const { here, owner, target, path } = await setting();
  const client = await here.as(owner);
  const { body: hook } = await client.post(path, { config: { url: `${target.url}/one` } });
  await here.settle();
  expect((await client.post(`${path}/${hook.id}/pings`)).status).toBe(204);
  await here.settle();
  const [pinged] = (await client.get(`${path}/${hook.id}/deliveries`)).body;
  expect((await client.post(`${path}/${hook.id}/deliveries/${pinged.id}/attempts`)).status).toBe(202);
  await here.settle();
  expect((await client.get(`${path}/${hook.id}/deliveries`)).body[0]).toMatchObject({ guid: pinged.guid, redelivery: true });
  expect((await client.patch(`${path}/${hook.id}/config`, { url: `${target.url}/two` })).status).toBe(200);
  await client.post(`${path}/${hook.id}/pings`);
  await here.settle();
  expect(target.requests.map(({ path }) => path)).toEqual(['/hook/one', '/hook/one', '/hook/one', '/hook/two']);
});

test('events are added and removed one by one', async () => {
  const { here, owner, target, path } = await setting();
  const client = await here.as(owner);
  const { body: hook } = await client.post(path, { config: { url: target.url }, events: ['push', 'fork'] });
  const change = async (body: object) => (await client.patch(`${path}/${hook.id}`, body)).body.events;
  expect(await change({ add_events: ['issues'] })).toEqual(['push', 'fork', 'issues']);
  expect(await change({ remove_events: ['push'] })).toEqual(['fork', 'issues']);
  expect((await client.patch(`${path}/${hook.id}`, { add_events: ['x'] })).body.errors).toMatchObject([{ field: 'add_events' }]);
});

test('who may: administrators of the repository, by tokens with the right', async () => {
  const { here, owner, repo, target, path } = await setting();
  const writer = await here.user();
  await here.collaborator(repo, writer, 'write');
  const admin = await here.user();
  await here.collaborator(repo, admin, 'admin');
  const body = { config: { url: target.url } };
  const statuses = async (who: Parameters<typeof here.as>[0]) => {
    const client = await here.as(who);
    const reply = await client.post(path, body);
    if (reply.status === 201) await client.delete(`${path}/${reply.body.id}`);
    return [(await client.get(path)).status, reply.status];
  };
  expect(await statuses(undefined)).toEqual([401, 401]);
  expect(await statuses(writer)).toEqual([404, 403]);
  expect(await statuses(admin)).toEqual([200, 201]);
  expect(await statuses(await here.token(admin, ['read:repo_hook']))).toEqual([200, 403]);
  expect(await statuses(await here.token(admin, ['admin:repo_hook']))).toEqual([200, 201]);
  expect(await statuses(await here.token(admin, ['gist']))).toEqual([404, 403]);
  expect(await statuses(await here.fineGrained(owner, owner, { repository_webhooks: 'write' }))).toEqual([200, 201]);
  expect(await statuses(await here.fineGrained(owner, owner, { repository_webhooks: 'read' }))).toEqual([200, 403]);
  expect(await statuses(await here.fineGrained(owner, owner, { contents: 'write' }))).toEqual([403, 403]);
  const app = await installApp(here, { on: owner, permissions: { repository_webhooks: 'write' } });
  expect(await statuses(app.token)).toEqual([200, 201]);
});

test('a scope for hooks reaches those of a private repository, and nothing else in it', async () => {
  const { here, owner, target } = await setting();
  const secret = await here.repo(owner, { visibility: 'private' });
  const place = `/repos/${owner.login}/${secret.name}`;
  const config = { url: target.url, content_type: 'json' };
  const [reader, writer, admin, none] = await Promise.all(
    (['read:repo_hook', 'write:repo_hook', 'admin:repo_hook', 'public_repo'] as const).map(async (scope) =>
      here.as(await here.token(owner, [scope])),
    ),
  );
  if (!reader || !writer || !admin || !none) throw new Error('Four clients were made');
  const { body: hook, status } = await writer.post(`${place}/hooks`, { config });
  expect(status).toBe(201);
  expect((await reader.get(`${place}/hooks/${hook.id}`)).status).toBe(200);
  expect((await reader.patch(`${place}/hooks/${hook.id}`, { active: false })).status).toBe(404);
  expect((await writer.patch(`${place}/hooks/${hook.id}`, { active: false })).status).toBe(200);
  expect((await writer.delete(`${place}/hooks/${hook.id}`)).status).toBe(404);
  expect((await none.get(`${place}/hooks`)).status).toBe(404);
  for (const path of [place, `${place}/issues`, `${place}/commits`]) expect((await admin.get(path)).status).toBe(404);
  expect((await admin.delete(place)).status).toBe(404);
  expect((await admin.delete(`${place}/hooks/${hook.id}`)).status).toBe(204);
  const stranger = await here.as(await here.token(await here.user(), ['admin:repo_hook']));
  expect((await stranger.get(`${place}/hooks`)).status).toBe(404);
});

test('an invisible repository, and another repository’s hook, are absent', async () => {
  const { here, owner, target, path } = await setting();
  const secret = await here.repo(owner, { visibility: 'private' });
  const client = await here.as(owner);
  const { body: hook } = await client.post(path, { config: { url: target.url } });
  expect((await client.get(`/repos/${owner.login}/${secret.name}/hooks/${hook.id}`)).status).toBe(404);
  const stranger = await here.as(await here.user());
  expect((await stranger.get(`/repos/${owner.login}/${secret.name}/hooks`)).status).toBe(404);
  expect((await stranger.post(`/repos/${owner.login}/${secret.name}/hooks`, { config: { url: target.url } })).status).toBe(404);
});

test('a list costs the same number of statements for one hook as for many', async () => {
  const { here, owner, target, path } = await setting();
  const client = await here.as(owner);
  await client.post(path, { config: { url: target.url } });
  const one = await here.statements(owner, path);
  for (let i = 0; i < 9; i++) await client.post(path, { config: { url: `${target.url}/${i}` } });
  expect(await here.statements(owner, path)).toBe(one);
});

test('a hook of a repository hears of that repository alone, an organization’s of all of its own', async () => {
  const { here, owner, repo, target, path } = await setting();
  const other = await here.repo(owner);
  const client = await here.as(owner);
  await client.post(path, { config: { url: target.url, content_type: 'json' }, events: ['*'] });
  await here.settle();
  target.requests.length = 0;
  await client.patch(`/repos/${owner.login}/${other.name}`, { description: 'other' });
  await client.patch(`/repos/${owner.login}/${repo.name}`, { description: 'mine' });
  await here.settle();
  expect(target.requests.map(({ body }) => JSON.parse(body).repository.name)).toEqual([repo.name]);
});

test('an inactive hook, and one that listens for something else, hear nothing', async () => {
  const { here, owner, repo, target, path } = await setting();
  const client = await here.as(owner);
  await client.post(path, { config: { url: `${target.url}/1` }, events: ['repository'], active: false });
  await client.post(path, { config: { url: `${target.url}/2` }, events: ['fork'] });
  await here.settle();
  target.requests.length = 0;
  await client.patch(`/repos/${owner.login}/${repo.name}`, { description: 'x' });
  await here.settle();
  expect(target.requests).toEqual([]);
});

test('payloads are in the words that the server speaks', async () => {
  const { here, owner, repo, target, path } = await setting();
  const client = await here.as(owner);
  await client.post(path, { config: { url: target.url, content_type: 'json' }, events: ['issues'] });
  await here.settle(); // the ping is told at once, and would else race with the issue
  await client.post(`/repos/${owner.login}/${repo.name}/issues`, { title: 'One' });
  await here.settle();
  const told = JSON.parse(target.requests.at(-1)?.body ?? '');
  expect(told.issue).toMatchObject({ title: 'One', performed_via_service_app: null });
  expect(target.requests.at(-1)?.body).not.toContain('github');
});
