import { createPrivateKey } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { levelsOf, permissionNames } from '#access/permissions.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { newToken } from '#lib/token.ts';
import {
  type AppKeys,
  actionsAppOf,
  changeApp,
  createApp,
  installApp,
  makeAppKeys,
  offerManifest,
} from '#resources/repositories/apps/index.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, change, clock, db } = w;
const keys: AppKeys = await makeAppKeys();

async function jwt(issuer: string | number, { seconds = 540, key = keys.privateKey } = {}): Promise<string> {
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }).toString();
  const at = Math.floor(clock.now.getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(String(issuer))
    .setIssuedAt(at)
    .setExpirationTime(at + seconds)
    .sign(await importPKCS8(pkcs8, 'RS256'));
}

const highestLevels = Object.fromEntries(permissionNames.map((name) => [name, levelsOf(name).at(-1) ?? 'read']));

async function installed(
  on: Account,
  owner: Account,
  permissions: Record<string, string>,
  repositories: 'all' | readonly RepositoryRow[] = 'all',
) {
  const wish = {
    owner,
    kind: 'app' as const,
    name: fresh('app'),
    externalUrl: 'https://app.example',
    publicKey: keys.publicKey,
    now: clock.now,
  };
  const { app, clientSecret } = await change((scope) => createApp(scope, { ...wish, permissions }));
  const ids = repositories === 'all' ? ('all' as const) : repositories.map(({ id }) => id);
  const installation = await change((scope) =>
    installApp(scope, { app, account: on, repositories: ids, by: owner, now: clock.now }),
  );
  return { app, clientSecret, installation, client: await as(await jwt(app.client_id)) };
}

async function setting() {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner, visibility: 'private' });
  const other = await repo(acme, { by: owner, visibility: 'private' });
  return { owner, acme, engine, other };
}

describe('an app that speaks for itself', () => {
  test('learns who it is and where it is installed', async () => {
    const { owner, acme, engine } = await setting();
    const { app, installation, client } = await installed(acme, owner, { issues: 'write' });
    expect((await client.get('/app')).body).toMatchObject({
      id: app.id,
      slug: app.slug,
      permissions: { issues: 'write' },
      installations_count: 1,
    });
    expect((await client.get('/app/installations')).body).toHaveLength(1);
    for (const at of [
      `/app/installations/${installation.id}`,
      `/orgs/${acme.login}/installation`,
      `/repos/${acme.login}/${engine.name}/installation`,
    ])
      expect((await client.get(at)).body, at).toMatchObject({ id: installation.id, account: { login: acme.login } });
    expect((await client.get('/user')).status).toBe(403);
  });

  test("another app's installation is absent, and so is a repository that it does not reach", async () => {
    const { owner, acme, engine, other } = await setting();
    const one = await installed(acme, owner, {}, [engine]);
    const two = await installed(acme, owner, {});
    expect((await one.client.get(`/app/installations/${two.installation.id}`)).status).toBe(404);
    expect((await one.client.post(`/app/installations/${two.installation.id}/access_tokens`)).status).toBe(404);
    expect((await one.client.get(`/repos/${acme.login}/${other.name}/installation`)).status).toBe(404);
  });

  test('a JSON web token that is too long, foreign, or of another key is refused', async () => {
    const { owner, acme } = await setting();
    const { app } = await installed(acme, owner, {});
    const status = async (token: string) => (await (await as(token)).get('/app')).status;
    expect(await status(await jwt(app.id))).toBe(200);
    expect(await status(await jwt(app.client_id, { seconds: 3600 }))).toBe(401);
    expect(await status(await jwt(app.client_id, { seconds: -3600 }))).toBe(401);
    expect(await status(await jwt('nobody'))).toBe(401);
    const foreign = await makeAppKeys();
    expect(await status(await jwt(app.client_id, { key: foreign.privateKey }))).toBe(401);
  });
});

describe('installation tokens', () => {
  test('reach what the installation reaches, for 60 minutes', async () => {
    const { owner, acme, engine } = await setting();
    const { installation, client, app } = await installed(acme, owner, { issues: 'write' });
    const { status, body } = await client.post(`/app/installations/${installation.id}/access_tokens`);
    expect([status, body.repository_selection, body.permissions]).toEqual([201, 'all', { issues: 'write' }]);
    expect(Date.parse(body.expires_at) - clock.now.getTime()).toBe(60 * 60_000);
    const bot = await as(body.token);
    const opened = await bot.post(`/repos/${acme.login}/${engine.name}/issues`, { title: 'By a bot' });
    expect([opened.status, opened.body.user.login]).toEqual([201, `${app.slug}[bot]`]);
    expect((await bot.get('/installation/repositories')).body.total_count).toBe(2);
    const before = clock.now;
    clock.now = new Date(before.getTime() + 61 * 60_000);
    expect((await bot.get('/installation/repositories')).status).toBe(401);
    clock.now = before;
    expect((await bot.delete('/installation/token')).status).toBe(204);
    expect((await bot.get('/installation/repositories')).status).toBe(401);
  });

  test('are narrowed to repositories and permissions, never widened', async () => {
    const { owner, acme, engine, other } = await setting();
    const { installation, client } = await installed(acme, owner, { issues: 'write', contents: 'read' });
    const ask = (wish: object) => client.post(`/app/installations/${installation.id}/access_tokens`, wish);
    const { body } = await ask({ repositories: [engine.name.toUpperCase()], permissions: { issues: 'read' } });
    expect(body).toMatchObject({
      repository_selection: 'selected',
      permissions: { issues: 'read' },
      repositories: [{ name: engine.name }],
    });
    const bot = await as(body.token);
    expect((await bot.get(`/repos/${acme.login}/${engine.name}/issues`)).status).toBe(200);
    expect((await bot.get(`/repos/${acme.login}/${other.name}/issues`)).status).toBe(404);
    expect((await bot.post(`/repos/${acme.login}/${engine.name}/issues`, { title: 'x' })).status).toBe(403);
    expect((await ask({ permissions: { contents: 'write' } })).status).toBe(422);
    expect((await ask({ permissions: { administration: 'read' } })).status).toBe(422);
    expect((await ask({ permissions: { nonsense: 'read' } })).status).toBe(422);
    expect((await ask({ repositories: ['absent'] })).status).toBe(422);
    expect((await ask({ repository_ids: [999_999] })).status).toBe(422);
  });

  test('hold each permission of the catalogue that is asked for, and no other', async () => {
    const { owner, acme } = await setting();
    const { app, installation } = await installed(acme, owner, highestLevels);
    const headers = { authorization: `Bearer ${await jwt(app.client_id)}` };
    for (const name of permissionNames) {
      const permissions = { [name]: levelsOf(name)[0] };
      // The public description, by which the client checks replies, has fewer names than document 3.
      const reply = await fetch(`${w.url}/api/v3/app/installations/${installation.id}/access_tokens`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ permissions }),
      });
      expect([reply.status, ((await reply.json()) as { permissions?: object }).permissions]).toEqual([201, permissions]);
    }
  });

  test('end with a suspension and with the installation', async () => {
    const { owner, acme } = await setting();
    const { installation, client } = await installed(acme, owner, { issues: 'read' });
    const path = `/app/installations/${installation.id}`;
    const bot = await as((await client.post(`${path}/access_tokens`)).body.token);
    expect((await client.put(`${path}/suspended`)).status).toBe(204);
    expect((await bot.get('/installation/repositories')).status).toBe(403);
    expect((await client.post(`${path}/access_tokens`)).status).toBe(403);
    expect((await client.delete(`${path}/suspended`)).status).toBe(204);
    expect((await bot.get('/installation/repositories')).status).toBe(200);
    expect((await client.delete(path)).status).toBe(204);
    expect((await bot.get('/installation/repositories')).status).toBe(401);
  });
});

test('a manifest with the name of an event that does not exist becomes no app', async () => {
  const { as, user, change, clock, unchanged } = w;
  const owner = await user();
  const manifest = { name: fresh('made'), url: 'https://app.example', default_events: ['push', 'no_such_event'] };
  const code = await change((scope) => offerManifest(scope, { manifest, owner, by: owner, now: clock.now }));
  await unchanged(['apps', 'accounts', 'events'], async () => {
    const refused = await (await as(undefined)).post(`/app-manifests/${code}/conversions`);
    expect(refused).toMatchObject({ status: 422, body: { message: 'There is no webhook event no_such_event.' } });
  });
});

test('a manifest becomes an app once, with keys that work', async () => {
  const owner = await user();
  const manifest = {
    name: fresh('made'),
    url: 'https://app.example',
    hook_attributes: { url: 'https://hook.example' },
    default_permissions: { organization_webhooks: 'read' },
  };
  const code = await change((scope) => offerManifest(scope, { manifest, owner, by: owner, now: clock.now }));
  const { status, body } = await (await as(undefined)).post(`/app-manifests/${code}/conversions`);
  expect([status, body.permissions]).toEqual([201, { organization_webhooks: 'read' }]);
  const app = await as(await jwt(body.client_id, { key: body.pem }));
  expect((await app.get('/app')).body.id).toBe(body.id);
  const hook = await db.selectFrom('webhooks').selectAll().where('app_id', '=', body.id).executeTakeFirst();
  expect(hook).toMatchObject({ url: 'https://hook.example', active: true });
  expect(hook?.secret_sealed?.includes(body.webhook_secret)).toBe(false);
  expect((await (await as(undefined)).post(`/app-manifests/${code}/conversions`)).status).toBe(404);
});

test('of two who exchange a code at once, one gets the app', async () => {
  const owner = await user();
  const manifest = { name: fresh('made'), url: 'https://app.example' };
  const code = await change((scope) => offerManifest(scope, { manifest, owner, by: owner, now: clock.now }));
  const client = await as(undefined);
  const replies = await Promise.all([1, 2].map(() => client.post(`/app-manifests/${code}/conversions`)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 404]);
});

test('an app looks at a token of its own by its secret, and ends it', async () => {
  const { owner, acme } = await setting();
  const { app, clientSecret, installation, client } = await installed(acme, owner, {});
  const { token } = (await client.post(`/app/installations/${installation.id}/access_tokens`)).body;
  const basic = { headers: { authorization: `Basic ${Buffer.from(`${app.client_id}:${clientSecret}`).toString('base64')}` } };
  const anybody = await as(undefined);
  const path = `/applications/${app.client_id}/token`;
  expect((await anybody.post(path, { access_token: token })).status).toBe(401);
  expect((await anybody.post(path, { access_token: token }, basic)).body).toMatchObject({
    token,
    app: { client_id: app.client_id },
  });
  expect((await anybody.post(path, { access_token: 'hrs_x' }, basic)).status).toBe(404);
  expect((await anybody.delete(path, { access_token: token }, basic)).status).toBe(204);
  expect((await anybody.post(path, { access_token: token }, basic)).status).toBe(404);
});

test('only its own client secret lets an app in, and none an app that has none', async () => {
  const { owner, acme } = await setting();
  const [one, two, bare] = [await installed(acme, owner, {}), await installed(acme, owner, {}), await installed(acme, owner, {})];
  await db.updateTable('apps').set({ client_secret_hash: null }).where('id', '=', bare.app.id).execute();
  const { token } = (await one.client.post(`/app/installations/${one.installation.id}/access_tokens`)).body;
  const anybody = await as(undefined);
  const ask = (name: string, secret: string) => {
    const headers = { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}` };
    return anybody.post(`/applications/${one.app.client_id}/token`, { access_token: token }, { headers });
  };
  for (const [name, secret] of [
    [one.app.client_id, two.clientSecret],
    [one.app.client_id, `${one.clientSecret}0`],
    [one.app.slug, one.clientSecret],
    [bare.app.client_id, bare.clientSecret],
  ] as const)
    expect(await ask(name, secret), name).toMatchObject({ status: 401, body: { message: 'Bad credentials' } });
  expect((await ask(two.app.client_id, two.clientSecret)).status).toBe(404);
  expect((await ask(one.app.client_id, one.clientSecret)).status).toBe(200);
});

test('a token that is well-formed, and nobody has, is refused', async () => {
  const reply = await (await as(newToken(tokenPrefixes.classic_pat))).get('/user');
  expect(reply).toMatchObject({ status: 401, body: { message: 'Bad credentials' } });
});

describe('installing', () => {
  test('is refused where the app is there already, and for repositories of others', async () => {
    const { owner, acme, engine } = await setting();
    const { app } = await installed(acme, owner, {});
    const theirs = await repo(await user());
    const install = (account: Account, repositories: 'all' | RepositoryRow['id'][]) =>
      change((scope) => installApp(scope, { app, account, repositories, by: owner, now: clock.now }));
    await w.unchanged(['installations', 'installation_repositories', 'events'], async () => {
      await expect(install(acme, 'all')).rejects.toMatchObject({ errors: [{ field: 'account', code: 'already_exists' }] });
      for (const repositories of [[theirs.id], [engine.id]])
        await expect(install(owner, repositories)).rejects.toMatchObject({
          errors: [{ field: 'repositories', code: 'invalid' }],
        });
    });
  });

  test('is for apps: users authorize an OAuth app, which can not ask for permissions', async () => {
    const { owner, acme } = await setting();
    const wish = { owner, kind: 'oauth', name: fresh('oauth'), externalUrl: 'https://app.example', now: clock.now } as const;
    const { app } = await change((scope) => createApp(scope, wish));
    await w.unchanged(['apps', 'installations', 'events'], async () => {
      const installation = change((scope) =>
        installApp(scope, { app, account: acme, repositories: 'all', by: owner, now: clock.now }),
      );
      await expect(installation).rejects.toThrow(/users authorize it/);
      const wider = change((scope) =>
        changeApp(scope, { app, by: owner.id, now: clock.now }, { permissions: { contents: 'write' } }),
      );
      await expect(wider).rejects.toThrow(/asks users for scopes/);
    });
  });

  test('what is built in asks for no more than it does', async () => {
    const app = await change((scope) => actionsAppOf(scope.tx, clock.now));
    await w.unchanged(['apps', 'events'], async () => {
      const wider = change((scope) =>
        changeApp(scope, { app, by: undefined, now: clock.now }, { permissions: { administration: 'write' } }),
      );
      await expect(wider).rejects.toThrow(/built in/);
    });
  });
});
