import { verify } from '@octokit/webhooks-methods';
import { expect, test } from 'vitest';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { setting } from './setting.ts';

test('an owner creates a webhook, its receiver is pinged once, and the secret is masked', async () => {
  const { here, owner, org, target } = await setting();
  const client = await here.as(owner);

  const reply = await client.post(`/orgs/${org.login}/hooks`, {
    name: 'web',
    config: { url: target.url, content_type: 'json', secret: 'hush' },
  });
  await here.settle();

  expect(reply).toMatchObject({
    status: 201,
    body: {
      type: 'Organization',
      name: 'web',
      active: true,
      events: ['push'],
      config: { url: target.url, content_type: 'json', insecure_ssl: '0', secret: '********' },
    },
  });
  const url = `${here.url}/api/v3/orgs/${org.login}/hooks/${reply.body.id}`;
  expect(reply.body).toMatchObject({ url, ping_url: `${url}/pings`, deliveries_url: `${url}/deliveries` });
  expect(target.requests).toHaveLength(1);
  const [ping] = target.requests;
  expect(ping?.headers).toMatchObject({
    'x-service-event': 'ping',
    'x-service-hook-id': String(reply.body.id),
    'x-service-hook-installation-target-id': String(org.id),
    'x-service-hook-installation-target-type': 'organization',
    'user-agent': 'Service-Hookshot/0.0.0-test',
    'content-type': 'application/json',
    accept: '*/*',
    'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-hub-signature': expect.stringMatching(/^sha1=[0-9a-f]{40}$/),
  });
  expect(await verify('hush', ping?.body ?? '', String(ping?.headers['x-hub-signature-256']))).toBe(true);
  expect(await verify('other', ping?.body ?? '', String(ping?.headers['x-hub-signature-256']))).toBe(false);
  expect(JSON.parse(ping?.body ?? '')).toMatchObject({
    hook_id: reply.body.id,
    hook: { id: reply.body.id, config: { secret: '********' } },
    organization: { login: org.login },
    sender: { login: owner.login },
  });
});

test('a form carries the payload in one field, and the signature is over the encoded bytes', async () => {
  const { here, owner, org, target } = await setting();
  const client = await here.as(owner);

  await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url: target.url, secret: 'ä&=+ ü' } });
  await here.settle();

  const [ping] = target.requests;
  expect(ping?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(JSON.parse(new URLSearchParams(ping?.body).get('payload') ?? '')).toMatchObject({ hook: { events: ['push'] } });
  expect(await verify('ä&=+ ü', ping?.body ?? '', String(ping?.headers['x-hub-signature-256']))).toBe(true);
});

test('without a secret nothing is signed; a user and password go along and are never shown', async () => {
  const { here, owner, org, target } = await setting();
  const client = await here.as(owner);

  const { body: hook } = await client.post(`/orgs/${org.login}/hooks`, {
    name: 'web',
    config: { url: target.url, username: 'ada', password: 'p:w' },
  });
  await here.settle();

  const [ping] = target.requests;
  expect(ping?.headers).not.toHaveProperty('x-hub-signature-256');
  expect(ping?.headers.authorization).toBe(`Basic ${Buffer.from('ada:p:w').toString('base64')}`);
  expect(hook.config).toEqual({ url: target.url, content_type: 'form', insecure_ssl: '0' });
  const [delivery] = (await client.get(`/orgs/${org.login}/hooks/${hook.id}/deliveries`)).body;
  const shown = await client.get(`/orgs/${org.login}/hooks/${hook.id}/deliveries/${delivery.id}`);
  expect(shown.text).not.toMatch(/authorization|p:w/i);
});

test('a secret and a password are in no column as they are', async () => {
  const { here, owner, org, target } = await setting();
  const client = await here.as(owner);
  await client.post(`/orgs/${org.login}/hooks`, {
    name: 'web',
    config: { url: target.url, secret: 'canary-secret', username: 'u', password: 'canary-password' },
  });
  await here.settle();

  for (const table of ['webhooks', 'webhook_deliveries', 'events'] as const) {
    const rows = await here.db.selectFrom(table).selectAll().execute();
    const text = JSON.stringify(rows, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
    expect(text).not.toContain('canary');
  }
});

const url = 'https://ci.example/hook';

test.each([
  [{ events: ['nope'] }, 'events', 'invalid'],
  [{ events: ['push', 3] }, 'events.1', 'invalid'],
  [{ events: 'push' }, 'events', 'invalid'],
  [{ name: 'email' }, 'name', 'invalid'],
  [{ name: undefined }, 'name', 'missing_field'],
  [{ config: undefined }, 'config', 'missing_field'],
  [{ config: {} }, 'config.url', 'missing_field'],
  [{ config: [] }, 'config', 'invalid'],
  [{ config: { url: 'ftp://ci.example' } }, 'config.url', 'invalid'],
  [{ config: { url: 'nonsense' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https://u:p@ci.example' } }, 'config.url', 'invalid'],
  [{ config: { url: ' https://ci.example' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https://ci.example/a b' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https://ci.example/\nx' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https://ci.example/\u0001' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https://ci.example\\@other.example/' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https:ci.example' } }, 'config.url', 'invalid'],
  [{ config: { url: 'https:///ci.example' } }, 'config.url', 'invalid'],
  [{ config: { url: 'http://10.0.0.1/' } }, 'config.url', 'invalid'],
  [{ config: { url: 'http://[::1]/' } }, 'config.url', 'invalid'],
  [{ config: { url: `https://ci.example/${'x'.repeat(2050)}` } }, 'config.url', 'invalid'],
  [{ config: { url, content_type: 'xml' } }, 'config.content_type', 'invalid'],
  [{ config: { url, insecure_ssl: '2' } }, 'config.insecure_ssl', 'invalid'],
  [{ config: { url, secret: 5 } }, 'config.secret', 'invalid'],
  [{ config: { url, secret: 'a\0b' } }, 'config.secret', 'invalid'],
  [{ active: 'yes' }, 'active', 'invalid'],
])('refuses %j, naming %s, and writes nothing', async (wrong, field, code) => {
  const { here, owner, org } = await setting();
  const client = await here.as(owner);
  await here.unchanged(['webhooks', 'webhook_deliveries', 'events'], async () => {
    const reply = await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url }, ...wrong });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'Hook', field, code }] } });
  });
});

test.each([['null'], ['[]'], ['{'], ['"web"']])('refuses the body %s', async (text) => {
  const { here, owner, org } = await setting();
  const reply = await (await here.as(owner)).post(`/orgs/${org.login}/hooks`, text);
  expect(reply.status).toBe(400);
});

test('no two hooks of one address share an event, and an event has 20 hooks at most', async () => {
  const { here, owner, org } = await setting();
  const client = await here.as(owner);
  const post = (more: object) => client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url }, ...more });

  expect((await post({ events: ['push', 'issues'] })).status).toBe(201);
  expect(await post({ events: ['issues'] })).toMatchObject({
    status: 422,
    body: { message: 'Hook already exists on this organization' },
  });
  expect((await post({ events: ['*'] })).status).toBe(422);
  expect((await post({ events: ['create'] })).status).toBe(201);
  for (let i = 1; i < 20; i++) expect((await post({ config: { url: `${url}/${i}` } })).status).toBe(201);
  expect(await post({ config: { url: `${url}/20` } })).toMatchObject({ status: 422, body: { errors: [{ field: 'events' }] } });
  expect((await post({ config: { url: `${url}/20` }, events: ['fork'] })).status).toBe(201);
});

test('`*` stands alone', async () => {
  const { here, owner, org } = await setting();
  const reply = await (await here.as(owner)).post(`/orgs/${org.login}/hooks`, {
    name: 'web',
    config: { url },
    events: ['push', '*', 'push'],
  });
  expect(reply.body.events).toEqual(['*']);
});

test('owners alone reach webhooks, and each kind of token only with its right', async () => {
  const { here, owner, org, member } = await setting();
  const stranger = await here.user();
  const path = `/orgs/${org.login}/hooks`;
  const wanted = { name: 'web', config: { url } };
  const statuses = async (who: Parameters<typeof here.as>[0]) => {
    const client = await here.as(who);
    return [(await client.get(path)).status, (await client.post(path, wanted)).status];
  };

  expect(await statuses(undefined)).toEqual([401, 401]);
  expect(await statuses(stranger)).toEqual([404, 403]);
  expect(await statuses(member)).toEqual([404, 403]);
  expect(await statuses(await here.token(owner, ['admin:org', 'repo']))).toEqual([404, 403]);
  expect(await statuses(await oauthToken(here, owner, ['admin:org']))).toEqual([404, 403]);
  expect(await statuses(await here.fineGrained(owner, org, { members: 'write' }))).toEqual([403, 403]);
  expect(await statuses(await here.fineGrained(owner, org, { organization_webhooks: 'read' }))).toEqual([200, 403]);
  expect(await statuses(await here.fineGrained(member, org, { organization_webhooks: 'write' }))).toEqual([404, 403]);
  const app = await installApp(here, { on: org, permissions: { organization_webhooks: 'write' } });
  expect(await statuses(app.token)).toEqual([200, 201]);
  expect((await statuses(await app.userToken(member)))[1]).toBe(403);
  const weak = await installApp(here, { on: org, permissions: { organization_webhooks: 'read' } });
  expect(await statuses(weak.token)).toEqual([200, 403]);
  expect(await statuses(await here.token(owner, ['admin:org_hook']))).toEqual([200, 422]); // the app's hook is there
});
