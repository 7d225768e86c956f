import { createHash } from 'node:crypto';
import { OAuthApp, Octokit } from 'octokit';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { change as transact } from '#database/connect.ts';
import { changePassword, hashPassword } from '#resources/platform/oauth/index.ts';
import { type AppRow, changeApp, createApp } from '#resources/repositories/apps/index.ts';
import { waitsForLock } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';
import { cheapHash, password } from './accounts.ts';
import { browser } from './browser.ts';

const { as, user, change, clock, url, hearth } = await world({ vocabulary: 'github' });
const callback = 'https://client.example/callback';
let ada: Account;
let oauth: { app: AppRow; clientSecret: string };
let app: { app: AppRow; clientSecret: string };

beforeAll(async () => {
  ada = await user('ada');
  await change((scope) => changePassword(scope, ada.id, cheapHash(password)));
  const base = { owner: ada, externalUrl: 'https://client.example', callbackUrls: [callback], now: clock.now };
  oauth = await change((scope) => createApp(scope, { ...base, kind: 'oauth', name: 'Classic client', deviceFlow: true }));
  app = await change((scope) => createApp(scope, { ...base, kind: 'app', name: 'Modern app', permissions: { issues: 'read' } }));
});

async function signedIn() {
  const page = browser(url);
  const form = await page.get('/login');
  const done = await page.submit('/login', form.text, { login: 'ada', password });
  expect([done.status, done.location]).toEqual([303, '/docs']);
  expect(done.setCookie).toMatch(/HttpOnly; SameSite=Lax/);
  return page;
}

/** Goes to the consent page and agrees; gives where the browser is sent. */
async function agreed(parameters: Record<string, string>): Promise<URL> {
  const page = await signedIn();
  const asked = await page.get(`/login/oauth/authorize?${new URLSearchParams(parameters)}`);
  expect(asked.status).toBe(200);
  const done = await page.submit('/login/oauth/authorize', asked.text, { answer: 'yes' });
  expect(done.status).toBe(303);
  return new URL(done.location);
}

async function exchange(fields: Record<string, string>) {
  const response = await fetch(`${url}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(fields),
  });
  return response.json() as Promise<Record<string, string>>;
}

test('a new password signs out who signed in by the old one, and nobody else', async () => {
  const bob = await user('bob');
  const hash = await hashPassword('another long password');
  await change((scope) => changePassword(scope, bob.id, hash));
  const page = browser(url);
  const form = await page.get('/login');
  await page.submit('/login', form.text, { login: 'bob', password: 'another long password' });
  const asked = `/login/oauth/authorize?${new URLSearchParams({ client_id: oauth.app.client_id })}`;
  const other = await signedIn();
  expect((await page.get(asked)).status).toBe(200);
  await change((scope) => changePassword(scope, bob.id, hash));
  expect(await page.get(asked)).toMatchObject({ status: 302, location: expect.stringContaining('/login') });
  expect((await other.get(asked)).status).toBe(200);
});

describe('the web flow', () => {
  test('gives an OAuth app the scopes that the user agreed to; unmodified clients use it', async () => {
    const target = await agreed({ client_id: oauth.app.client_id, scope: 'repo read:org', state: 'x&y', redirect_uri: callback });
    expect(target.origin + target.pathname).toBe(callback);
    expect(target.searchParams.get('state')).toBe('x&y');
    const baseUrl = `${url}/api/v3`;
    const client = new OAuthApp({
      Octokit: Octokit.defaults({ baseUrl }),
      clientType: 'oauth-app',
      clientId: oauth.app.client_id,
      clientSecret: oauth.clientSecret,
    });
    const { authentication } = await client.createToken({ code: target.searchParams.get('code') ?? '' });
    expect(authentication.token).toMatch(/^hro_/);
    expect(authentication.scopes.join()).toBe('repo,read:org');
    expect((await (await as(authentication.token)).get('/user')).body.login).toBe('ada');
    const checked = await client.checkToken({ token: authentication.token });
    expect(checked.data.user?.login).toBe('ada');
    await client.deleteToken({ token: authentication.token });
    expect((await (await as(authentication.token)).get('/user')).status).toBe(401);
  });

  test('lets nobody agree to something else than was shown', async () => {
    const about = { owner: ada, externalUrl: 'https://client.example', callbackUrls: [callback], now: clock.now };
    const made = await change((scope) => createApp(scope, { ...about, kind: 'app', name: 'Changing', deviceFlow: true }));
    const ask = (permissions: Record<string, string>, seconds: number) =>
      change((scope) =>
        changeApp(scope, { app: made.app, by: ada.id, now: new Date(clock.now.getTime() + seconds * 1000) }, { permissions }),
      );
    const page = await signedIn();
    const asked = await page.get(`/login/oauth/authorize?client_id=${made.app.client_id}`);
    const begun = await fetch(`${url}/login/device/code`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ client_id: made.app.client_id }),
    });
    const { user_code = '' } = (await begun.json()) as { user_code?: string };
    const device = await page.submit('/login/device', (await page.get('/login/device')).text, { user_code });
    expect(device.status).toBe(200);
    await ask({ profile: 'write' }, 1);
    expect((await page.submit('/login/oauth/authorize', asked.text, { answer: 'yes' })).status).toBe(409);
    expect((await page.submit('/login/device', device.text, { answer: 'yes' })).status).toBe(409);
    const again = await page.get(`/login/oauth/authorize?client_id=${made.app.client_id}`);
    expect(again.text).toContain('profile: write');
    expect((await page.submit('/login/oauth/authorize', again.text, { answer: 'yes' })).status).toBe(303);
  });

  test('gives an app a token that ends, and a refresh token that is good once', async () => {
    const { searchParams } = await agreed({ client_id: app.app.client_id });
    const secret = { client_id: app.app.client_id, client_secret: app.clientSecret };
    const first = await exchange({ ...secret, code: searchParams.get('code') ?? '' });
    expect(first).toMatchObject({ token_type: 'bearer', scope: '', expires_in: 28_800, refresh_token_expires_in: 15_811_200 });
    expect(first.access_token).toMatch(/^hru_/);
    const refresh = { ...secret, grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
    const second = await exchange(refresh);
    expect(second.access_token).not.toBe(first.access_token);
    expect((await (await as(first.access_token)).get('/user')).status).toBe(401);
    expect((await (await as(second.access_token)).get('/user')).status).toBe(200);
    expect((await exchange(refresh)).error).toBe('bad_refresh_token');
  });

  test('a code is good once, for its own app, for ten minutes', async () => {
    const secret = { client_id: oauth.app.client_id, client_secret: oauth.clientSecret };
    const codeOf = async () => (await agreed({ client_id: oauth.app.client_id })).searchParams.get('code') ?? '';
    const used = await codeOf();
    expect((await exchange({ ...secret, code: used })).access_token).toBeDefined();
    expect((await exchange({ ...secret, code: used })).error).toBe('bad_verification_code');
    expect((await exchange({ client_id: app.app.client_id, client_secret: app.clientSecret, code: await codeOf() })).error).toBe(
      'bad_verification_code',
    );
    expect((await exchange({ ...secret, client_secret: 'hcs_wrong', code: await codeOf() })).error).toBe(
      'incorrect_client_credentials',
    );
    const late = await codeOf();
    const before = clock.now;
    clock.now = new Date(before.getTime() + 11 * 60_000);
    expect((await exchange({ ...secret, code: late })).error).toBe('bad_verification_code');
    clock.now = before;
  });

  test('PKCE: only who began may finish', async () => {
    const verifier = 'v'.repeat(50);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const begin = { client_id: oauth.app.client_id, code_challenge: challenge, code_challenge_method: 'S256' };
    const secret = { client_id: oauth.app.client_id, client_secret: oauth.clientSecret };
    const code = async () => (await agreed(begin)).searchParams.get('code') ?? '';
    expect((await exchange({ ...secret, code: await code() })).error).toBe('bad_verification_code');
    expect((await exchange({ ...secret, code: await code(), code_verifier: 'w'.repeat(50) })).error).toBe(
      'bad_verification_code',
    );
    expect((await exchange({ ...secret, code: await code(), code_verifier: verifier })).access_token).toBeDefined();
  });

  test('PKCE: a verifier is refused where no challenge was sent, since somebody may have taken it out', async () => {
    const { searchParams } = await agreed({ client_id: oauth.app.client_id });
    const secret = { client_id: oauth.app.client_id, client_secret: oauth.clientSecret };
    const given = { ...secret, code: searchParams.get('code') ?? '', code_verifier: 'v'.repeat(50) };
    expect((await exchange(given)).error).toBe('bad_verification_code');
  });

  test('nobody is sent to an address that is not the app’s', async () => {
    const page = await signedIn();
    for (const redirect_uri of [
      'https://evil.example/callback',
      'https://client.example.evil.example/callback',
      'https://client.example/callbackx',
      'http://client.example/callback',
      'javascript:alert(1)',
      'https://x@client.example/callback',
      'https://:x@client.example/callback',
      'https://client.example/callback/..%2fother',
      'https://client.example/callback/%2E.%5Cother',
      'https://client.example/callback/a%2f..',
    ]) {
      const asked = await page.get(
        `/login/oauth/authorize?${new URLSearchParams({ client_id: oauth.app.client_id, redirect_uri })}`,
      );
      expect(asked.status, redirect_uri).toBe(400);
    }
    const below = await page.get(
      `/login/oauth/authorize?${new URLSearchParams({ client_id: oauth.app.client_id, redirect_uri: `${callback}/deep` })}`,
    );
    expect(below.status).toBe(200);
  });

  test('a refusal is told to the app', async () => {
    const page = await signedIn();
    const asked = await page.get(`/login/oauth/authorize?client_id=${oauth.app.client_id}&state=s`);
    const done = await page.submit('/login/oauth/authorize', asked.text, { answer: 'no' });
    expect(new URL(done.location).search).toBe('?state=s&error=access_denied');
  });
});

describe('signing in', () => {
  test('a wrong password, an unknown user and a suspended one read alike', async () => {
    const page = browser(url);
    const form = await page.get('/login');
    const wrong = await page.submit('/login', form.text, { login: 'ada', password: 'wrong' });
    const unknown = await page.submit('/login', form.text, { login: 'nobody', password });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(unknown.text);
  });

  test('forms of other sites are refused', async () => {
    const page = await signedIn();
    const asked = await page.get(`/login/oauth/authorize?client_id=${oauth.app.client_id}`);
    const foreign = await page.submit(
      '/login/oauth/authorize',
      asked.text,
      { answer: 'yes' },
      { origin: 'https://evil.example' },
    );
    expect(foreign.status).toBe(403);
    const forged = await page.submit('/login/oauth/authorize', asked.text, { answer: 'yes', csrf: 'x' });
    expect(forged.status).toBe(403);
  });

  test('after signing in, nobody is sent to another site', async () => {
    for (const return_to of ['https://evil.example', '//evil.example', '/\\evil.example']) {
      const page = browser(url);
      const form = await page.get(`/login?return_to=${encodeURIComponent(return_to)}`);
      expect((await page.submit('/login', form.text, { login: 'ada', password })).location).toBe('/docs');
    }
  });

  test('what an app is called can not become markup', async () => {
    const { app: evil } = await change((scope) =>
      createApp(scope, {
        owner: ada,
        kind: 'oauth',
        name: '<script>x</script>',
        externalUrl: 'https://x.example',
        callbackUrls: [callback],
        now: clock.now,
      }),
    );
    const asked = await (await signedIn()).get(`/login/oauth/authorize?client_id=${evil.client_id}`);
    expect(asked.text).toContain('&lt;script&gt;');
    expect(asked.text).not.toContain('<script>');
  });
});

describe('the device flow', () => {
  const start = async (clientId: string) => {
    const response = await fetch(`${url}/login/device/code`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ client_id: clientId, scope: 'repo' }),
    });
    return response.json() as Promise<Record<string, string>>;
  };
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const poll = (device_code = '') => exchange({ client_id: oauth.app.client_id, grant_type, device_code });

  test('a user connects a device by its code', async () => {
    const started = await start(oauth.app.client_id);
    expect(started).toMatchObject({ verification_uri: `${url}/login/device`, expires_in: 900, interval: 5 });
    expect(started.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    expect((await poll(started.device_code)).error).toBe('authorization_pending');
    expect(await poll(started.device_code)).toMatchObject({ error: 'slow_down', interval: 10 });
    const page = await signedIn();
    const form = await page.get('/login/device');
    const consent = await page.submit('/login/device', form.text, { user_code: (started.user_code ?? '').toLowerCase() });
    expect(consent.text).toContain('Classic client');
    expect((await page.submit('/login/device', consent.text, { answer: 'yes' })).text).toContain('connected');
    const { access_token, scope } = await poll(started.device_code);
    expect(scope).toBe('repo');
    expect((await (await as(access_token)).get('/user')).body.login).toBe('ada');
    expect((await poll(started.device_code)).error).toBe('incorrect_device_code');
  });

  test('of two answers for one device at once, the first counts, and the second is told so', async () => {
    const started = await start(oauth.app.client_id);
    const page = await signedIn();
    const form = await page.get('/login/device');
    const consent = await page.submit('/login/device', form.text, { user_code: started.user_code ?? '' });
    const others = hearth.worker.database.db;
    const second = await transact(others, async (tx) => {
      const { user_code = '' } = started;
      await tx.updateTable('device_codes').set({ state: 'denied' }).where('user_code', '=', user_code).execute();
      const submitted = page.submit('/login/device', consent.text, { answer: 'yes' });
      await waitsForLock(others, 'update "device_codes"');
      return { submitted };
    });
    expect((await second.submitted).text).toContain('No device waits for this code.');
    expect((await poll(started.device_code)).error).toBe('access_denied');
  });

  test('a refused, late, unknown or forbidden device gets nothing', async () => {
    const refused = await start(oauth.app.client_id);
    const page = await signedIn();
    const form = await page.get('/login/device');
    const consent = await page.submit('/login/device', form.text, { user_code: refused.user_code ?? '' });
    await page.submit('/login/device', consent.text, { answer: 'no' });
    expect((await poll(refused.device_code)).error).toBe('access_denied');
    expect((await poll('nonsense')).error).toBe('incorrect_device_code');
    expect((await start(app.app.client_id)).error).toBe('device_flow_disabled');
    const late = await start(oauth.app.client_id);
    const before = clock.now;
    clock.now = new Date(before.getTime() + 16 * 60_000);
    expect((await poll(late.device_code)).error).toBe('expired_token');
    clock.now = before;
  });
});

test('without an Accept header the reply is a form, as the public API answers', async () => {
  const response = await fetch(`${url}/login/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'x' }),
  });
  expect([response.status, (await response.text()).split('&')[0]]).toEqual([200, 'error=incorrect_client_credentials']);
});
