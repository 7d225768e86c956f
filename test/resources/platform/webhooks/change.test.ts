import { verify } from '@octokit/webhooks-methods';
import { expect, test } from 'vitest';
import { hookOf, setting } from './setting.ts';

/** Which of two secrets the next ping is signed with. */
async function signedWith(at: Awaited<ReturnType<typeof setting>>, id: number): Promise<string | undefined> {
  at.target.requests.length = 0;
  await (await at.here.as(at.owner)).post(`/orgs/${at.org.login}/hooks/${id}/pings`);
  await at.here.settle();
  const [ping] = at.target.requests;
  const signature = ping?.headers['x-hub-signature-256'];
  if (!ping || signature === undefined) return undefined;
  for (const secret of ['one', 'two']) if (await verify(secret, ping.body, String(signature))) return secret;
  return 'another';
}

test('what a change leaves out stays, and no default takes its place', async () => {
  const { here, owner, org, target } = await setting();
  const client = await here.as(owner);
  const id = await hookOf(here, org, owner, target.url, {
    events: ['issues', 'label'],
    active: false,
    config: { secret: 'one' },
  });
  const path = `/orgs/${org.login}/hooks/${id}`;
  const kept = { events: ['issues', 'label'], active: false, config: { secret: '********' } };
  expect((await client.patch(path, { name: 'web' })).body).toMatchObject(kept);
  expect((await client.patch(path, { active: true })).body).toMatchObject({ ...kept, active: true });
  expect((await client.patch(path, { events: ['push'] })).body).toMatchObject({ ...kept, active: true, events: ['push'] });
  const { config } = (await client.patch(path, { config: { url: target.url } })).body;
  expect(config).not.toHaveProperty('secret');
});

test('a new configuration takes the place of the old one, its secret included; other changes leave it', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url, { config: { secret: 'one', content_type: 'json', insecure_ssl: '1' } });
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}`;
  const { url } = target;

  expect((await client.patch(path, { active: false })).body).toMatchObject({ active: false, config: { secret: '********' } });
  expect(await signedWith(at, id)).toBe('one');
  expect((await client.patch(path, { config: { url, secret: '********' } })).body.config).toEqual({
    url,
    content_type: 'form',
    insecure_ssl: '0',
    secret: '********',
  });
  expect(await signedWith(at, id)).toBe('one');
  await client.patch(path, { config: { url, secret: 'two' } });
  expect(await signedWith(at, id)).toBe('two');
  expect((await client.patch(path, { config: { url } })).body.config).not.toHaveProperty('secret');
  expect(await signedWith(at, id)).toBeUndefined();
});

test('events and activity change alone', async () => {
  const { here, owner, org, target } = await setting();
  const id = await hookOf(here, org, owner, target.url, { events: ['push', 'fork'] });
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}`;
  expect((await client.patch(path, {})).body).toMatchObject({ events: ['push', 'fork'], active: true });
  expect((await client.patch(path, { events: ['issues'], active: false })).body).toMatchObject({
    events: ['issues'],
    active: false,
  });
  expect((await client.get(path)).body).toMatchObject({ events: ['issues'], active: false });
});

test('the configuration alone: what is named changes, the rest stays', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url, { config: { secret: 'one' } });
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}/config`;

  expect((await client.get(path)).body).toEqual({
    url: target.url,
    content_type: 'form',
    insecure_ssl: '0',
    secret: '********',
  });
  expect((await client.patch(path, { content_type: 'json', insecure_ssl: 1 })).body).toEqual({
    url: target.url,
    content_type: 'json',
    insecure_ssl: '1',
    secret: '********',
  });
  expect(await signedWith(at, id)).toBe('one');
  await client.patch(path, { secret: 'two' });
  expect(await signedWith(at, id)).toBe('two');
  expect((await client.patch(path, { secret: '' })).body).not.toHaveProperty('secret');
});

test.each([
  [{ config: { secret: 's' } }, 'config.url', 'missing_field'],
  [{ events: ['*', 'x'] }, 'events', 'invalid'],
  [{ active: null }, 'active', 'invalid'],
  [{ name: 'other' }, 'name', 'invalid'],
  [{ config: null }, 'config', 'invalid'],
])('refuses the change %j, naming %s', async (wrong, field, code) => {
  const { here, owner, org, target } = await setting();
  const id = await hookOf(here, org, owner, target.url);
  const client = await here.as(owner);
  await here.unchanged(['webhooks', 'events'], async () => {
    const reply = await client.patch(`/orgs/${org.login}/hooks/${id}`, wrong);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ field, code }] } });
  });
});

test('a deleted hook is gone, with its deliveries', async () => {
  const { here, owner, org, target } = await setting();
  const id = await hookOf(here, org, owner, target.url);
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}`;
  expect((await client.delete(path)).status).toBe(204);
  for (const reply of [await client.get(path), await client.delete(path), await client.get(`${path}/deliveries`)])
    expect(reply.status).toBe(404);
  const left = await here.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('hook_id', '=', id as never)
    .execute();
  expect(left).toEqual([]);
});

test('another organization’s hook is absent under every path', async () => {
  const { here, owner, org, target } = await setting();
  const id = await hookOf(here, org, owner, target.url);
  const other = await here.org(owner);
  const client = await here.as(owner);
  const base = `/orgs/${other.login}/hooks/${id}`;
  const [delivery] = (await client.get(`/orgs/${org.login}/hooks/${id}/deliveries`)).body;
  await here.unchanged(['webhooks', 'webhook_deliveries', 'events'], async () => {
    const replies = [
      await client.get(base),
      await client.patch(base, { active: false }),
      await client.delete(base),
      await client.get(`${base}/config`),
      await client.patch(`${base}/config`, { content_type: 'json' }),
      await client.get(`${base}/deliveries`),
      await client.get(`${base}/deliveries/${delivery.id}`),
      await client.post(`${base}/deliveries/${delivery.id}/attempts`),
      await client.post(`${base}/pings`),
      await client.get(`/orgs/${org.login}/hooks/999999`),
      await client.get(`/orgs/${org.login}/hooks/abc`),
    ];
    for (const reply of replies) expect(reply).toMatchObject({ status: 404, body: { message: 'Not Found' } });
  });
});

test('changes at once all count, and a hook is deleted once', async () => {
  const { here, owner, org, target } = await setting();
  const repo = await here.repo(org, { by: owner });
  const client = await here.as(owner);
  const path = `/repos/${org.login}/${repo.name}/hooks`;
  const { id } = (await client.post(path, { config: { url: target.url }, events: ['push'] })).body;
  const added = ['issues', 'fork', 'label', 'milestone', 'create', 'delete'];
  await Promise.all(added.map((name) => client.patch(`${path}/${id}`, { add_events: [name] })));
  expect(new Set((await client.get(`${path}/${id}`)).body.events)).toEqual(new Set(['push', ...added]));

  const deletions = await Promise.all([1, 2, 3, 4].map(() => client.delete(`${path}/${id}`)));
  expect(deletions.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404]);
});
