// Attacks on the sign-in, on sessions and on forms.
import { expect, test } from 'vitest';
import { allForms } from '#console/all.ts';
import type { Submission } from '#console/form.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { hashToken } from '#lib/token.ts';
import { pageEndpointsOf } from '#resources/family.ts';
import { oauth } from '#resources/platform/oauth/family.ts';
import { changePassword, csrfOf, isCsrfOf } from '#resources/platform/oauth/index.ts';
import { pageRouterOf } from '#server/console/pages-router.ts';
import { cheapHash, password } from '#test/resources/platform/oauth/accounts.ts';
import { formsAs } from '#test/support/form-client.ts';
import { pagesAs, sessionCookie } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const person = async () => {
  const account = await w.user();
  await w.change((scope) => changePassword(scope, account.id, cheapHash(password)));
  return account;
};
const sessionsOf = async (account: { id: number }) =>
  (
    await w.db
      .selectFrom('sessions')
      .select('id')
      .where('account_id', '=', account.id as never)
      .execute()
  ).length;

test.each([
  ['another origin', { headers: { origin: 'https://evil.example' } }],
  ['another port of the same host', { headers: { origin: 'http://127.0.0.1:1' } }],
  ['an opaque origin', { headers: { origin: 'null' } }],
  ['no origin', { headers: { origin: undefined } }],
  ['no token', { fields: { csrf: undefined } }],
  ['an empty token', { fields: { csrf: '' } }],
  ['a guessed token', { fields: { csrf: 'x'.repeat(86) } }],
  ['a long token', { fields: { csrf: 'x'.repeat(60_000) } }],
  ['a token of another session', { fields: { csrf: csrfOf('of-eve') } }],
])('a form with %s changes nothing', async (_what, sending) => {
  const ada = await person();
  const forms = await formsAs(w, ada);
  await sessionCookie(w, ada);
  const pages = [
    ['/settings/sessions', '/settings/sessions/end-others'],
    ['/settings/sessions', '/logout'],
    ['/login/device', '/login/device'],
  ] as const;
  for (const [page, address] of pages) expect((await forms.send(page, address, sending)).status, address).toBe(403);
  expect(await sessionsOf(ada)).toBe(2);
  expect((await forms.send('/settings/sessions', '/settings/sessions/end-others')).status).toBe(303);
  expect(await sessionsOf(ada)).toBe(1);
});

test('a token in a form counts once; a form of another type, or in the query, does not count', async () => {
  const ada = await person();
  const forms = await formsAs(w, ada);
  const csrf = csrfOf(forms.cookie.split('=')[1] ?? '');
  const post = async (path: string, headers: Record<string, string>, body: string) =>
    (
      await fetch(`${w.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: forms.cookie, origin: w.url, accept: 'text/html', ...headers },
        body,
      })
    ).status;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const address = '/settings/sessions/end-others';
  expect(await post(address, form, `csrf=${csrf}&csrf=${csrf}`)).toBe(403);
  expect(await post(`${address}?csrf=${csrf}`, form, '')).toBe(403);
  expect(await post(address, { 'content-type': 'application/json' }, JSON.stringify({ csrf }))).toBe(400);
  expect(await post(address, { 'content-type': 'text/plain' }, `csrf=${csrf}`)).toBe(400);
  expect(await post(address, form, `csrf=${csrf}`)).toBe(303);
});

test('the token of a session is different on each page, so that compression discloses nothing of it', () => {
  const tokens = new Set(Array.from({ length: 50 }, () => csrfOf('a-session')));
  expect(tokens.size).toBe(50);
  for (const token of tokens) {
    expect(isCsrfOf('a-session', token)).toBe(true);
    expect(isCsrfOf('another-session', token)).toBe(false);
  }
  const [one = '', two = ''] = [...tokens];
  const spliced = Buffer.concat([Buffer.from(one, 'base64url').subarray(0, 32), Buffer.from(two, 'base64url').subarray(32)]);
  expect(isCsrfOf('a-session', spliced.toString('base64url'))).toBe(false);
});

test('a session that somebody prepared does not become that of who signs in', async () => {
  const [ada, eve] = [await person(), await person()];
  const prepared = await formsAs(w, eve);
  const chosen = 'hearth_session=chosen-by-eve';
  for (const cookie of [prepared.cookie, chosen]) {
    const done = await prepared.send('/login', '/login', { headers: { cookie }, fields: { login: ada.login, password } });
    expect(done.status).toBe(303);
    const [given = ''] = (done.headers.get('set-cookie') ?? '').split(';');
    expect(given).toMatch(/^hearth_session=\w{36}$/);
    expect(given).not.toBe(cookie);
    expect((await prepared.get('/settings/sessions', { cookie })).status).toBe(302);
    expect((await prepared.get('/settings/sessions', { cookie: given })).status).toBe(200);
  }
});

test('nobody is signed in or out by another site', async () => {
  const ada = await person();
  const forms = await formsAs(w, ada);
  const evil = { origin: 'https://evil.example' };
  const visitor = await formsAs(w);
  for (const headers of [evil, { origin: undefined }, { origin: 'null' }]) {
    const refused = await visitor.send('/login', '/login', { headers, fields: { login: ada.login, password } });
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
  }
  // Browsers send no cookie with a form of another site.
  const out = await forms.send('/', '/logout', { headers: { ...evil, cookie: undefined } });
  expect(out.headers.get('set-cookie')).toBeNull();
  expect((await forms.get('/settings/sessions')).status).toBe(200);
  const done = await forms.send('/logout', '/logout');
  expect(done.headers.get('set-cookie')).toMatch(/^hearth_session=; Max-Age=0|Expires=Thu, 01 Jan 1970/);
  expect((await forms.get('/settings/sessions')).status).toBe(302);
});

test('after the sign-in, one is where one was, and never on another site', async () => {
  const ada = await person();
  const visitor = await formsAs(w);
  const led = async (return_to: string) => {
    const page = `/login?${new URLSearchParams({ return_to })}`;
    return (await visitor.send(page, '/login', { fields: { login: ada.login, password } })).location;
  };
  for (const path of ['/', '/ada/engine/issues?q=is%3Aopen', '/settings/sessions']) expect(await led(path)).toBe(path);
  for (const other of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
  ])
    expect(await led(other), JSON.stringify(other)).toBe('/');
});

test('a session sent twice does not count, and none counts below /api', async () => {
  const [ada, eve] = [await person(), await person()];
  const [own, foreign] = [await sessionCookie(w, ada), await sessionCookie(w, eve)];
  const pages = await pagesAs(w);
  const status = async (path: string, headers: Record<string, string>) => (await pages.get(path, headers)).status;
  expect(await status('/settings/sessions', { cookie: own })).toBe(200);
  for (const cookie of [`${own}; ${foreign}`, `${foreign};${own}`, `${own}; ${own}`])
    expect(await status('/settings/sessions', { cookie })).toBe(302);
  for (const path of ['/api/v3/user', '/api/v3/user/sessions', '/api/v3/user/repos'])
    expect(await status(path, { cookie: own }), path).not.toBe(200);
});

test('no credential of the API opens a page, and none ends up in a session', async () => {
  const ada = await person();
  const token = await w.token(ada);
  const pages = await pagesAs(w);
  const basic = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const credentials: Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `token ${token}` },
    { authorization: basic(ada.login, token) },
    { authorization: basic(ada.login, password) },
    { cookie: `hearth_session=${token}` },
    { cookie: `__Host-hearth_session=${token}` },
  ];
  for (const headers of credentials) {
    const { status, headers: given } = await pages.get('/settings/sessions', headers);
    expect([status, given.get('set-cookie')]).toEqual([302, null]);
  }
  expect(await sessionsOf(ada)).toBe(0);
});

test('a session ends with its time, its account and its password', async () => {
  const ada = await person();
  const forms = await formsAs(w, ada);
  const status = async () => (await forms.get('/settings/sessions')).status;
  expect(await status()).toBe(200);
  await w.db.updateTable('accounts').set({ suspended_at: w.clock.now }).where('id', '=', ada.id).execute();
  expect(await status()).toBe(302);
  await w.db.updateTable('accounts').set({ suspended_at: null }).where('id', '=', ada.id).execute();
  const start = w.clock.now;
  w.clock.now = new Date(start.getTime() + 15 * 86_400_000);
  expect(await status()).toBe(302);
  w.clock.now = start;
  await w.change((scope) => changePassword(scope, ada.id, cheapHash('x')));
  expect(await status()).toBe(302);
});

test('of sessions, hashes alone are stored', async () => {
  const ada = await person();
  const forms = await formsAs(w, ada);
  const token = forms.cookie.split('=')[1] ?? '';
  const row = await w.db.selectFrom('sessions').selectAll().where('hash', '=', hashToken(token)).executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain(token);
});

test('forms lead nowhere but to this server, and to the app that one agrees to', async () => {
  const { headers } = await (await pagesAs(w)).get('/login?return_to=%2Fada');
  expect(headers.get('content-security-policy')).toContain("form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
  const website = await (await pagesAs(w)).get('/login?return_to=%2Flogin%2Fwebsite%3Fhost%3Dx');
  expect(website.headers.get('content-security-policy')).toContain("form-action 'self' http: https:;");
  expect(headers.get('cache-control')).toBe('no-store');
});

test('search engines are told to list nothing, unless the operator wants it', async () => {
  const robots = await fetch(`${w.url}/robots.txt`);
  expect(await robots.text()).toBe('User-agent: *\nDisallow: /\n');
  const page = await (await pagesAs(w)).get('/');
  expect(page.text).toContain('<meta name="robots" content="noindex">');
  const open = await w.another({ isIndexed: true });
  const ask = async (url: string, headers = {}) =>
    (await open.app.inject({ url, headers: { accept: 'text/html', ...headers } })).payload;
  expect(await ask('/robots.txt')).toMatch(/^User-agent: \*\nDisallow: \/api\/\n/);
  expect(await ask('/')).not.toContain('noindex');
  expect(await ask('/absent')).toContain('noindex');
  expect(await ask('/', { cookie: await sessionCookie(w, await w.user()) })).toContain('noindex');
});

test('no two forms have the same address, and each gives its endpoint all words', () => {
  expect(() => pageRouterOf(allForms)).not.toThrow();
  const wrong = allForms.flatMap((form) => {
    const names = wordsOf(form.path);
    const words = Object.fromEntries(names.map((name) => [name, '1']));
    const given = form.words({ words, query: {}, fields: { text: () => '', list: () => [] } } as unknown as Submission);
    return [
      ...wordsOf(form.endpoint.path).filter((word) => !names.includes(word) && !(word in given)),
      ...wordsOf(form.page.path).filter((word) => !names.includes(word)),
    ].map((word) => `${form.path} lacks ${word}`);
  });
  expect(wrong).toEqual([]);
});

test('passwords and sessions are for sessions alone', () => {
  const endpoints = pageEndpointsOf(oauth);
  expect(endpoints.length).toBeGreaterThan(4);
  for (const { access } of endpoints) expect(access.credentials).toEqual(['session']);
});
