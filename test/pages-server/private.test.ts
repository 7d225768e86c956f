import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { isPrivateLabel } from '#endpoint/pages-address.ts';
import { enqueue } from '#jobs/job.ts';
import { hashToken } from '#lib/token.ts';
import { siteCandidatesOf } from '#pages-server/address.ts';
import { removeExpiredReaders } from '#resources/actions/pages/jobs.ts';
import { updateAccount } from '#resources/identity/accounts/index.ts';
import { changePassword } from '#resources/platform/oauth/index.ts';
import { siteSetting } from '#test/resources/actions/pages/setting.ts';
import { cheapHash, password } from '#test/resources/platform/oauth/accounts.ts';
import { nameServer, type Zone } from '#test/support/name-server.ts';
import { sendTo, servePages } from '#test/support/websites.ts';
import { visitor } from './visitor.ts';

const origin = { protocol: 'https:', hostname: 'pages.test', port: '', hasSubdomains: true } as const;
const server = 'https://code.test';
const zones = new Map<string, Zone>();
const settings = {
  url: server,
  pages: { origin, port: 0 },
  trustedProxies: ['127.0.0.1'],
  nameServers: [await nameServer(zones)],
};
const stage = await siteSetting(settings);
const { here, org, owner, client, port, published } = stage;
const browser = () => visitor({ here, server, sites: port });

const files = { 'index.html': 'inner', 'a/b.html': 'deep', 'data.json': '{}' };

/** A private repository with its website, and somebody who may read it. */
async function secret(visibility: 'private' | 'internal' = 'private') {
  const made = await published(files, { visibility });
  const reader = await here.user();
  await here.collaborator(made.repo, reader, 'read');
  const { html_url: home } = (await client.get(`${made.at}/pages`)).body as { html_url: string };
  return { ...made, reader, home, host: new URL(home).host };
}

/** The same, with the browser of its reader, who has signed in. */
async function seen() {
  const made = await secret();
  const page = browser();
  expect(await page.signIn(made.reader, await page.open(made.home))).toMatchObject({ status: 200, body: 'inner' });
  return { ...made, page };
}

/** Goes as far as the address of the website with a code, which isn't opened. */
async function coded(page: ReturnType<typeof browser>, home: string): Promise<string> {
  const { location: signIn = '' } = (await page.visit(home)).headers;
  const { location = '' } = (await page.visit(signIn)).headers;
  expect(location).toMatch(/\?code=\w{36}$/);
  return location;
}

const refused = { status: 403, body: expect.stringContaining('Not signed in') };
const rows = async (): Promise<number> =>
  (await sql<{ n: number }>`select count(*)::int as n from pages_sessions`.execute(here.db)).rows[0]?.n ?? 0;

test('who may read the repository signs in, and comes back to where they wanted to go', async () => {
  const { home, host, reader, web } = await secret();
  expect(home).toMatch(/^https:\/\/private--[\da-f]{32}\.pages\.test\/$/);
  const page = browser();
  const led = await page.visit(`${home}a/b?x=1&y=%2F`);
  expect(led).toMatchObject({ status: 302, headers: { 'cache-control': 'private, no-cache' } });
  expect(led.headers.location).toMatch(/^https:\/\/code\.test\/login\/website\?/);
  const form = await page.open(`${home}a/b?x=1&y=%2F`);
  expect(form).toMatchObject({ status: 200, body: expect.stringContaining('Password') });
  const deep = await page.signIn(reader, form);
  expect(deep).toMatchObject({
    status: 200,
    url: `${home}a/b?x=1&y=%2F`,
    body: 'deep',
    headers: {
      'cache-control': 'private, no-cache',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "frame-ancestors 'self'",
      'referrer-policy': 'same-origin',
    },
  });
  expect(deep.headers['access-control-allow-origin']).toBeUndefined();
  expect([...(page.jar.get(host) ?? new Map()).keys()].sort()).toEqual(['__Host-hearth_website', '__Host-hearth_website_nonce']);
  expect([...(page.jar.get('code.test') ?? new Map()).keys()]).toEqual(['__Host-hearth_session']);
  const { etag = '' } = deep.headers;
  const again = await page.visit(`${home}a/b`, { headers: { 'if-none-match': etag } });
  expect(again).toMatchObject({ status: 304, headers: { 'cache-control': 'private, no-cache' } });
  expect(await page.visit(`${home}nothing`)).toMatchObject({ status: 404, headers: { 'cache-control': 'private, no-cache' } });
  expect(await page.visit(`${home}a/b`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  expect(await page.visit(home, { method: 'POST' })).toMatchObject({ status: 405 });
  // Where websites of everybody are, it isn't.
  expect(await page.visit(`https://${org.login}.pages.test/${web.split('/')[2]}/`)).toMatchObject({ status: 404 });
});

test('who may not read the repository gets the answer for what is not there', async () => {
  const { home, host } = await secret();
  const page = browser();
  const stranger = await page.signIn(await here.user(), await page.open(home));
  const nowhere = `https://private--${'0'.repeat(32)}.pages.test`;
  const { url, status, body } = await page.visit(stranger.url.replace(host, new URL(nowhere).host));
  expect(stranger).toMatchObject({ status: 404, body });
  expect([status, new URL(url).origin]).toEqual([404, server]);
  expect(page.jar.get(host)?.has('__Host-hearth_website')).toBe(false);
  expect((await page.visit(`${nowhere}/`)).status).toBe(404);
  // Nobody who isn't signed in learns which of the two it is.
  const unknown = browser();
  for (const address of [stranger.url, url]) expect(await unknown.visit(address)).toMatchObject({ status: 302 });
});

test.each<[string, (made: Awaited<ReturnType<typeof seen>>) => Promise<unknown>]>([
  ['was removed', ({ at, reader }) => client.delete(`${at}/collaborators/${reader.login}`)],
  ['was suspended', ({ reader }) => here.change((scope) => updateAccount(scope.tx, reader.id, { suspended_at: here.clock.now }))],
  ['signed out', ({ page }) => page.signOut()],
  ['has a new password', ({ reader }) => here.change((scope) => changePassword(scope, reader.id, cheapHash(password)))],
])('a reader who %s sees nothing with the next request', async (_what, end) => {
  const made = await seen();
  const { page, home } = made;
  expect((await page.visit(home)).status).toBe(200);
  await end(made);
  expect(await page.visit(home)).toMatchObject({ status: 302, body: '' });
  expect(await page.visit(`${home}data.json`, { headers: { 'sec-fetch-mode': 'cors' } })).toMatchObject({ status: 404 });
  const led = await page.open(home);
  expect(led.body).not.toContain('inner');
  expect(new URL(led.url).origin).toBe(server);
});

test('a session ends after some hours, and with the one at the server; what has expired is removed', async () => {
  const { page, home } = await seen();
  const before = here.clock.now;
  here.clock.now = new Date(before.getTime() + 12 * 3_600_000 + 1);
  expect((await page.visit(home)).status).toBe(302);
  expect(await page.open(home)).toMatchObject({ status: 200, body: 'inner' });
  here.clock.now = new Date(before.getTime() + 30 * 86_400_000);
  expect((await page.visit(home)).status).toBe(302);
  expect(await rows()).toBeGreaterThan(0);
  await here.change((scope) => enqueue(scope.tx, removeExpiredReaders, {}));
  await here.settle();
  expect(await rows()).toBe(0);
  here.clock.now = before;
});

test('a code is used once, within a minute, at its website, by the browser that it is for', async () => {
  const { page, home, host, reader } = await seen();
  const other = await secret();
  await here.collaborator(other.repo, reader, 'read');
  page.jar.delete(host);
  const once = await coded(page, home);
  expect(await page.visit(once)).toMatchObject({ status: 302, headers: { location: home } });
  expect(await page.visit(once)).toMatchObject(refused);

  // At another website, also with the same nonce there.
  page.jar.delete(host);
  await page.visit(other.home);
  const foreign = await coded(page, home);
  page.jar.set(other.host, new Map(page.jar.get(host)));
  expect(await page.visit(foreign.replace(host, other.host))).toMatchObject(refused);
  expect(await page.visit(foreign)).toMatchObject(refused);

  // In another browser, without a nonce and with one of its own.
  for (const visits of [0, 1]) {
    const victim = browser();
    for (const _ of Array.from({ length: visits })) await victim.visit(home);
    page.jar.delete(host);
    const stolen = await coded(page, home);
    expect(await victim.visit(stolen)).toMatchObject(refused);
    expect(victim.jar.get(host)?.has('__Host-hearth_website') ?? false).toBe(false);
    expect(await page.visit(stolen)).toMatchObject(refused);
  }

  page.jar.delete(host);
  const late = await coded(page, home);
  const before = here.clock.now;
  here.clock.now = new Date(before.getTime() + 60_000);
  expect(await page.visit(late)).toMatchObject(refused);
  here.clock.now = before;
  for (const code of ['', 'x', 'a'.repeat(36), '%00'])
    expect(await page.visit(`${home}.well-known/hearth-sign-in?code=${code}`)).toMatchObject(refused);
  expect(await page.open(home)).toMatchObject({ status: 200, body: 'inner' });
});

test('a code of a session that has ended is worth nothing, nor is one for who may read no more', async () => {
  const { page, home, host, at, reader } = await seen();
  page.jar.delete(host);
  const [signedOut, removed] = [await coded(page, home), await coded(page, home)];
  await client.delete(`${at}/collaborators/${reader.login}`);
  expect(await page.visit(removed)).toMatchObject({ status: 302, headers: { location: home } });
  expect((await page.visit(home)).status).toBe(302);
  expect((await page.open(home)).status).toBe(404);
  await page.signOut();
  expect(await page.visit(signedOut)).toMatchObject(refused);
});

test('a cookie counts at its website alone, and credentials of the API count nowhere', async () => {
  const one = await seen();
  const two = await seen();
  await here.collaborator(one.repo, two.reader, 'read');
  two.page.jar.set(one.host, new Map(two.page.jar.get(two.host)));
  expect((await two.page.visit(one.home)).status).toBe(302);

  const authorization = `Bearer ${await here.token(one.reader)}`;
  const session = one.page.jar.get('code.test')?.get('__Host-hearth_session');
  const website = one.page.jar.get(one.host)?.get('__Host-hearth_website');
  for (const headers of [
    { authorization },
    { cookie: `__Host-hearth_session=${session}` },
    { cookie: `__Host-hearth_website=${session}` },
    // Another website beside this one could set it.
    { cookie: `hearth_website=${website}` },
  ])
    expect(await browser().visit(one.home, { headers }), JSON.stringify(headers)).toMatchObject({ status: 302 });
  for (const headers of [{ cookie: `__Host-hearth_session=${website}` }, { authorization: `Bearer ${website}` }]) {
    const asked = await sendTo(Number(new URL(here.url).port), '/api/v3/user', { host: 'code.test', headers });
    expect(asked.status).toBe(401);
  }
  const page = await browser().visit(`${server}/login/device`, { headers: { cookie: `__Host-hearth_session=${website}` } });
  expect(page).toMatchObject({ status: 302, headers: { location: expect.stringContaining('/login?') } });
});

test('of codes, nonces and cookies, hashes alone are stored', async () => {
  const { page, home, host } = await seen();
  const cookies = [...(page.jar.get(host)?.values() ?? [])];
  page.jar.get(host)?.delete('__Host-hearth_website');
  const code = new URL(await coded(page, home)).searchParams.get('code') ?? '';
  const { rows: stored } = await sql<{ row: string }>`
    select row_to_json(k)::text as row from pages_sessions k union all select row_to_json(c)::text from pages_codes c`.execute(
    here.db,
  );
  const text = stored.map(({ row }) => row).join('\n');
  expect(cookies).toHaveLength(2);
  for (const secret of [...cookies, code]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    expect(text).toContain(hashToken(secret).toString('hex'));
  }
});

test('what a reader wants to see is a path of the website', async () => {
  const { page, home, host } = await seen();
  page.jar.delete(host);
  const { location = '' } = (await page.visit(home)).headers;
  for (const wanted of [
    '//evil.test',
    'https://evil.test/',
    '/\\evil.test',
    'evil',
    '',
    '/a b',
    '/\tx',
    `/${'x'.repeat(2_048)}`,
  ]) {
    const asked = new URL(location);
    asked.searchParams.set('return_to', wanted);
    expect(await page.visit(asked.href), wanted).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
  }
  for (const [name, value] of [
    ['nonce', 'short'],
    ['nonce', 'ä'.repeat(43)],
  ] as const) {
    const asked = new URL(location);
    asked.searchParams.set(name, value);
    expect((await page.visit(asked.href)).status).toBe(400);
    asked.searchParams.delete(name);
    expect((await page.visit(asked.href)).status).toBe(400);
  }
  for (const wanted of ['/..//evil.test/', '/ü?ü', '/@evil.test', '/.evil.test']) {
    const asked = new URL(location);
    asked.searchParams.set('return_to', wanted);
    const back = await page.visit((await page.visit(asked.href)).headers.location ?? '');
    expect(back.status, wanted).toBe(302);
    expect(new URL(back.headers.location ?? '').origin, wanted).toBe(`https://${host}`);
  }
  page.jar.delete(host);
  expect((await page.visit(`${home}//evil.test/`)).status).toBe(404);
  expect(await page.open(`${home}${'long/'.repeat(500)}`)).toMatchObject({ status: 200, url: home, body: 'inner' });
});

test('a website with a host of its own shares it with no other, whatever becomes of its visibility', async () => {
  const { at, home, host, page, web } = await seen();
  const name = web.split('/')[2] ?? '';
  const open = `https://${org.login}.pages.test/${name}/`;
  await client.patch(at, { private: false });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ html_url: open, public: true });
  expect(await page.visit(`${home}a/b?x=1`)).toMatchObject({ status: 301, headers: { location: `${open}a/b?x=1` } });
  expect(await browser().visit(`${open}a/b`)).toMatchObject({ body: 'deep', headers: { 'cache-control': 'no-cache' } });
  await here.settle();
  expect(page.jar.get(host)?.has('__Host-hearth_website')).toBe(true);
  await client.patch(at, { private: true });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ html_url: home, public: false });
  expect((await browser().visit(open)).status).toBe(404);
  // Who could see it before signs in anew.
  expect((await page.visit(home)).status).toBe(302);
  expect(await page.open(home)).toMatchObject({ status: 200, body: 'inner' });
  await client.put(`${at}/pages`, { public: true });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ html_url: open });
  expect(await browser().visit(open)).toMatchObject({ body: 'inner' });
  await client.put(`${at}/pages`, { public: false });
  expect((await page.visit(home)).status).toBe(302);
  await client.delete(`${at}/pages`);
  expect((await page.visit(home)).status).toBe(404);
  await client.post(`${at}/pages`, { source: { branch: 'main' } });
  const { html_url: next } = (await client.get(`${at}/pages`)).body;
  expect(next).not.toBe(home);
  expect(next).toMatch(/^https:\/\/private--/);
  // It isn't built yet, and its host serves nothing else.
  expect(await page.open(next)).toMatchObject({ status: 404, url: next });
});

test('the website of an internal repository is for everybody who signs in; one that its public repository hides, too', async () => {
  const internal = await secret('internal');
  const open = await published(files);
  await client.put(`${open.at}/pages`, { public: false });
  const { html_url: hidden } = (await client.get(`${open.at}/pages`)).body;
  expect(hidden).toMatch(/^https:\/\/private--/);
  const page = browser();
  await page.signIn(await here.user());
  for (const home of [internal.home, hidden]) {
    expect((await browser().visit(home)).status).toBe(302);
    expect(await page.open(home)).toMatchObject({ status: 200, body: 'inner' });
  }
});

test('a domain of such a website is for it alone', async () => {
  const own = await published(files, { name: `${org.login}.pages`, visibility: 'private' });
  const other = await published({ 'index.html': 'other' });
  const folder = `https://owner.test/${other.repo.name}/`;
  const reader = await here.user();
  await here.collaborator(own.repo, reader, 'read');
  await client.put(`${own.at}/pages`, { cname: 'owner.test' });
  const site = (await client.get(`${own.at}/pages`)).body;
  // Who signs in does so by HTTPS, though nobody demanded it of the domain.
  expect(site).toMatchObject({ html_url: 'https://owner.test/', https_enforced: false, public: false });
  const page = browser();
  const first = await page.signIn(reader, await page.open('https://www.owner.test/a/b'));
  expect(first).toMatchObject({ status: 200, url: 'https://owner.test/a/b', body: 'deep' });
  expect(await page.visit('http://owner.test/')).toMatchObject({ status: 301, headers: { location: 'https://owner.test/' } });
  expect(await page.visit(folder)).toMatchObject({ status: 404 });
  expect((await browser().visit(folder)).status).toBe(302);
  const { rows: labels } = await sql<{ label: string }>`
    select private_label as label from pages_sites where repository_id = ${own.repo.id}`.execute(here.db);
  expect(await page.visit(`https://${labels[0]?.label}.pages.test/a`)).toMatchObject({
    status: 301,
    headers: { location: 'https://owner.test/a' },
  });

  // What others could have left at the domain while it was for everybody goes before the website is seen again.
  await client.put(`${own.at}/pages`, { public: true });
  expect(await page.visit(folder)).toMatchObject({ status: 200, body: 'other' });
  await client.put(`${own.at}/pages`, { public: false });
  expect((await page.visit('https://owner.test/')).status).toBe(302);
  const back = await page.visit(await coded(page, 'https://owner.test/'));
  expect(back).toMatchObject({ status: 302, headers: { 'clear-site-data': '"storage"' } });
  await client.put(`${own.at}/pages`, { cname: 'next.test' });
  expect((await page.visit('https://owner.test/')).status).toBe(404);
  expect(await page.open('https://next.test/')).toMatchObject({ status: 200, body: 'inner' });
  await client.put(`${own.at}/pages`, { cname: null });
  expect((await client.get(`${own.at}/pages`)).body.html_url).toBe(`https://${labels[0]?.label}.pages.test/`);
});

test('the check of a domain knows the host that its website has for itself', async () => {
  const { at, host } = await secret();
  await client.put(`${at}/pages`, { cname: 'docs.checked.test' });
  zones.set('docs.checked.test', { alias: host, addresses: [] });
  zones.set(host, { addresses: ['192.0.2.7'] });
  await client.get(`${at}/pages/health`);
  await here.settle();
  expect((await client.get(`${at}/pages/health`)).body.domain).toMatchObject({
    has_cname_record: true,
    is_cname_to_github_user_domain: true,
  });
});

test('the sign-in pages lead to no website that everybody sees', async () => {
  const { at } = await published();
  await client.put(`${at}/pages`, { cname: 'open.test' });
  const page = browser();
  await page.signIn(owner);
  const address = `${server}/login/website?host=open.test&nonce=${'a'.repeat(43)}&return_to=/`;
  expect(await page.visit(address)).toMatchObject({ status: 404 });
});

test('what a page loads is not led away, and a page that is opened is', async () => {
  const { home } = await secret();
  for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket'])
    expect(await browser().visit(home, { headers: { 'sec-fetch-mode': mode } })).toMatchObject({ status: 404 });
  expect((await browser().visit(home, { headers: { 'sec-fetch-mode': 'navigate' } })).status).toBe(302);
});

test('without an address to sign in at, such websites are hidden', async () => {
  const { at, home, host } = await secret();
  const without = await here.another({ ...settings, url: undefined });
  const sites = await servePages(without, here, settings);
  const headers = { 'x-forwarded-proto': 'https' };
  expect(await sendTo(sites.port, '/', { host, headers })).toMatchObject({ status: 404 });
  const asked = await without.app.inject({
    url: `/api/v3${at}/pages`,
    headers: { authorization: `Bearer ${await here.token(owner)}` },
  });
  expect(asked.json().html_url).not.toBe(home);
});

test('a request costs one statement, also for many readers at once; signing in costs few', async () => {
  const { home, host, page, reader } = await seen();
  const headers = {
    host,
    'x-forwarded-proto': 'https',
    cookie: `__Host-hearth_website=${page.jar.get(host)?.get('__Host-hearth_website')}`,
  };
  const ask = () => stage.app.inject({ url: '/', headers });
  const one = await countStatements(ask);
  expect(one.result).toMatchObject({ statusCode: 200, body: 'inner' });
  expect(one.statements).toHaveLength(1);
  const strangers = await countStatements(() => stage.app.inject({ url: '/', headers: { ...headers, cookie: '' } }));
  expect(strangers.result.statusCode).toBe(302);
  expect(strangers.statements).toHaveLength(1);

  const session = page.jar.get('code.test')?.get('__Host-hearth_session');
  const signIn = new URL((await browser().visit(home)).headers.location ?? '');
  const led = await countStatements(() =>
    here.hearth.app.inject({
      url: signIn.pathname + signIn.search,
      headers: { host: 'code.test', cookie: `__Host-hearth_session=${session}` },
    }),
  );
  expect(led.result.statusCode).toBe(302);
  // The session, the website, the role in its repository, and the code.
  expect(led.statements).toHaveLength(4);
  page.jar.delete(host);
  const code = new URL(await coded(page, home));
  const nonce = page.jar.get(host)?.get('__Host-hearth_website_nonce');
  const back = await countStatements(() =>
    stage.app.inject({
      url: code.pathname + code.search,
      headers: { ...headers, cookie: `__Host-hearth_website_nonce=${nonce}` },
    }),
  );
  expect(back.result.statusCode).toBe(302);
  expect(back.statements).toHaveLength(3);
  // One for each browser, however often it comes back.
  const { rows: kept } = await sql`select from pages_sessions k join sessions b on b.hash = k.session_hash
    where b.account_id = ${reader.id}`.execute(here.db);
  expect(kept).toHaveLength(1);
});

test('only hosts of their own have labels that no owner can have', async () => {
  const label = `private--${'0a'.repeat(16)}`;
  expect(siteCandidatesOf(origin, `${label.toUpperCase()}.Pages.test`, ['a', 'b'])).toEqual([
    { label, first: undefined, suffixes: ['pages', 'pages.test'], ownerParts: 0 },
  ]);
  for (const wrong of ['private', 'private--', `private--${'0'.repeat(31)}`, `private-${'0'.repeat(32)}`, `x${label}`]) {
    expect(isPrivateLabel(wrong)).toBe(false);
    expect(siteCandidatesOf(origin, `${wrong}.pages.test`, [''])).toMatchObject([{ owner: wrong }]);
  }
  expect(siteCandidatesOf({ ...origin, hasSubdomains: false }, `${label}.pages.test`, [''])).toMatchObject([
    { domain: `${label}.pages.test` },
  ]);
  await expect(here.org(owner, label.slice(0, 39))).rejects.toThrow();
});

test('organizations leave such websites to their owners', async () => {
  const maintainer = await here.user();
  const { repo, at } = await stage.repository(files, { visibility: 'private' });
  await here.collaborator(repo, maintainer, 'maintain');
  const asMaintainer = await here.as(maintainer);
  await client.patch(`/orgs/${org.login}`, { members_can_create_private_pages: false });
  const wanted = { source: { branch: 'main' } };
  expect((await asMaintainer.post(`${at}/pages`, wanted)).status).toBe(403);
  await client.patch(`/orgs/${org.login}`, { members_can_create_private_pages: true });
  expect(await asMaintainer.post(`${at}/pages`, wanted)).toMatchObject({
    status: 201,
    body: { html_url: expect.stringMatching(/^https:\/\/private--/), public: false },
  });
});
