import { describe, expect, test } from 'vitest';
import { knownClients } from '#resources/repositories/apps/client-ids.ts';
import { world } from '#test/support/world.ts';
import { signedInBrowser } from './accounts.ts';
import { browser } from './browser.ts';

const here = await world();
const { gh, git_credential_manager: gcm, vscode } = knownClients;

type Fields = Record<string, string>;

/** Sends a form as the programs do. */
async function post(path: string, fields: Fields, origin = here.url): Promise<{ status: number; body: Fields }> {
  const headers = { accept: 'application/json' };
  const response = await fetch(origin + path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Fields };
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Begins the device flow of a program. */
const begin = async ({ id }: { id: string }, scope = 'repo read:org gist') =>
  (await post('/login/device/code', { client_id: id, scope })).body;

describe('the device flow of a program whose client id is built in', () => {
  test.each([
    ['GitHub CLI', gh],
    ['Git Credential Manager', gcm],
    ['Visual Studio Code', vscode],
  ])('%s: the person sees its name, and its token has the scopes that were asked for', async (name, client) => {
    const user = await here.user();
    const page = await signedInBrowser(here, user);
    const { device_code = '', user_code = '', verification_uri } = await begin(client);
    expect(verification_uri).toBe(`${here.url}/login/device`);
    const poll = () => post('/login/oauth/access_token', { client_id: client.id, device_code, grant_type: deviceGrant });
    expect((await poll()).body).toMatchObject({ error: 'authorization_pending' });
    const asked = await page.submit('/login/device', (await page.get('/login/device')).text, { user_code });
    expect(asked.text).toContain(`Authorize ${name}`);
    expect(asked.text).toContain(`Any program can call itself ${name}`);
    expect((await page.submit('/login/device', asked.text, { answer: 'yes' })).status).toBe(200);
    const { body } = await poll();
    expect(body).toMatchObject({ token_type: 'bearer', scope: 'repo,read:org,gist' });
    const reply = await (await here.as(body.access_token)).get('/user');
    expect(reply).toMatchObject({ status: 200, body: { login: user.login } });
  });

  test('many that begin at once find one app', async () => {
    await here.db.deleteFrom('apps').where('client_id', '=', vscode.id).execute();
    await here.db.deleteFrom('accounts').where('login', '=', `${vscode.id}[bot]`).execute();
    const begun = await Promise.all(Array.from({ length: 8 }, () => begin(vscode)));
    expect(begun.every(({ user_code }) => user_code !== undefined)).toBe(true);
    const apps = await here.db.selectFrom('apps').select('name').where('client_id', '=', vscode.id).execute();
    expect(apps).toEqual([{ name: 'Visual Studio Code' }]);
  });
});

describe('the web flow', () => {
  const authorize = (client: { id: string }, redirect_uri: string, more: Fields = {}) =>
    `/login/oauth/authorize?${new URLSearchParams({ client_id: client.id, redirect_uri, scope: 'repo', state: 'x', ...more })}`;

  test.each([
    [gh, 'http://127.0.0.1:40123/callback'],
    [gh, 'http://localhost:40123/'],
    [gcm, 'http://127.0.0.1:62350/'],
  ])('leads back to the port on which the program listens: %o', async (client, redirect) => {
    const user = await here.user();
    const page = await signedInBrowser(here, user);
    const asked = await page.get(authorize(client, redirect));
    const done = await page.submit('/login/oauth/authorize', asked.text, { answer: 'yes' });
    const target = new URL(done.location);
    expect(target.href.startsWith(redirect)).toBe(true);
    const code = target.searchParams.get('code') ?? '';
    const fields = { client_id: client.id, client_secret: 'what its source says', code, state: 'x' };
    const { body } = await post('/login/oauth/access_token', fields);
    expect(body).toMatchObject({ scope: 'repo' });
    expect((await (await here.as(body.access_token)).get('/user')).body).toMatchObject({ login: user.login });
    expect((await post('/login/oauth/access_token', fields)).body).toMatchObject({ error: 'bad_verification_code' });
  });

  test.each([
    [gh, 'https://evil.example/callback'],
    [gh, 'http://127.0.0.1.evil.example/callback'],
    [vscode, 'http://127.0.0.1:1/'],
  ])('leads nowhere else: %o %s', async (client, redirect) => {
    const page = await signedInBrowser(here, await here.user());
    expect((await page.get(authorize(client, redirect))).status).toBe(400);
  });

  test('a code with a challenge is good for its verifier alone', async () => {
    const page = await signedInBrowser(here, await here.user());
    const redirect = 'http://127.0.0.1:40123/';
    const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
    const asked = await page.get(authorize(gcm, redirect, challenge));
    const done = await page.submit('/login/oauth/authorize', asked.text, { answer: 'yes' });
    const code = new URL(done.location).searchParams.get('code') ?? '';
    expect((await post('/login/oauth/access_token', { client_id: gcm.id, code })).body).toMatchObject({
      error: 'bad_verification_code',
    });
  });
});

test('the published secret proves nothing', async () => {
  await begin(gh);
  const authorization = `Basic ${Buffer.from(`${gh.id}:34ddeff2b558a23d38fba8a6de74f086ede1cc0b`).toString('base64')}`;
  const checked = await fetch(`${here.url}/api/v3/applications/${gh.id}/token`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ access_token: 'hro_x' }),
  });
  expect(checked.status).toBe(401);
  const refreshed = await post('/login/oauth/access_token', {
    client_id: gh.id,
    grant_type: 'refresh_token',
    refresh_token: 'x',
  });
  expect(refreshed.body).toMatchObject({ error: 'bad_refresh_token' });
});

test('an operator turns them off: nobody signs in by them, and an app of the same id stays what it is', async () => {
  await begin(gh);
  const other = await here.another({ knownClients: ['vscode'] });
  const origin = await other.app.listen({ port: 0, host: '127.0.0.1' });
  const code = (client: { id: string }) => post('/login/device/code', { client_id: client.id }, origin);
  expect((await code(gh)).status).toBe(404);
  expect((await code(gcm)).status).toBe(404);
  expect((await code(vscode)).status).toBe(200);
  const page = await browser(origin).get(`/login/oauth/authorize?client_id=${gh.id}`);
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining('No app has this client_id') });
  const device = await begin(gh);
  const poll = { client_id: gh.id, device_code: device.device_code ?? '', grant_type: deviceGrant };
  expect((await post('/login/oauth/access_token', poll, origin)).body).toMatchObject({ error: 'incorrect_client_credentials' });
  await here.db.updateTable('apps').set({ built_in: null }).where('client_id', '=', gcm.id).execute();
  expect((await code(gcm)).status).toBe(200);
});
