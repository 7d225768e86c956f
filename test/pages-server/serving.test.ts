import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { writeBlob, writeCommit } from '#git/objects/write-objects.ts';
import { countGitProcesses } from '#git/process/process.ts';
import { repoOf } from '#git/store.ts';
import { partsOf, siteCandidatesOf } from '#pages-server/address.ts';
import { commit as gitCommit } from '#test/git/support.ts';
import { siteSetting } from '#test/resources/actions/pages/setting.ts';

const origin = { protocol: 'https:', hostname: 'pages.test', port: '', hasSubdomains: false } as const;
const stage = await siteSetting({
  pages: { origin, port: 0 },
  trustedProxies: ['127.0.0.1'],
  resourceLimits: { pages: { cached: 100, memory: 1_000 } },
});
const { here, org, client, published } = stage;

/** Requests that came to a proxy by HTTPS. */
const get: typeof stage.get = (path, { host = 'pages.test', headers, ...more } = {}) =>
  stage.get(path, { host, headers: { 'x-forwarded-proto': 'https', ...headers }, ...more });

const files = {
  'index.html': '<h1>Home</h1>',
  'about.html': 'About',
  'about/team.html': 'Team',
  'guide/index.html': 'Guide',
  'guide/start.html': 'Start',
  'style.css': 'b{}',
  'app.js': '1',
  'data.json': '{}',
  'logo.svg': '<svg/>',
  notes: 'bytes',
  'a b/ü.txt': 'umlaut',
  '404.html': 'Not here',
  'middle.txt': '0123456789'.repeat(50),
  'large.bin': '0123456789'.repeat(1_000),
};
const { repo, at, web } = await published(files);

test('files have media types, strong ETags, and headers that guess nothing', async () => {
  const home = await get(web);
  expect(home).toMatchObject({
    status: 200,
    body: '<h1>Home</h1>',
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'accept-ranges': 'bytes',
    },
  });
  const { sha } = (await client.get(`${at}/contents/index.html`)).body;
  expect(home.headers.etag).toBe(`"${sha}"`);
  expect(home.headers['set-cookie']).toBeUndefined();
  expect(home.headers['access-control-allow-origin']).toBeUndefined();
  for (const [path, type] of [
    ['style.css', 'text/css; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['data.json', 'application/json; charset=utf-8'],
    ['logo.svg', 'image/svg+xml; charset=utf-8'],
    ['notes', 'application/octet-stream'],
    ['large.bin', 'application/octet-stream'],
  ] as const)
    expect((await get(web + path)).headers['content-type'], path).toBe(type);
});

test('paths name files, pages without an ending, and folders with an index', async () => {
  for (const [path, status, more] of [
    ['about', 200, { body: 'About' }],
    ['about.html', 200, { body: 'About' }],
    ['about/team', 200, { body: 'Team' }],
    ['guide/', 200, { body: 'Guide' }],
    ['guide/start?x=1', 200, { body: 'Start' }],
    ['guide?x=1', 301, { headers: { location: `${web}guide/?x=1` } }],
    ['a%20b/%C3%BC.txt', 200, { body: 'umlaut' }],
    ['about/', 404, { body: 'Not here' }],
    ['style.css/', 404, { body: 'Not here' }],
    ['nothing/at/all', 404, { body: 'Not here', headers: { 'content-type': 'text/html; charset=utf-8' } }],
  ] as const)
    expect(await get(web + path), path).toMatchObject({ status, ...more });
  expect(await get(web.slice(0, -1))).toMatchObject({ status: 301, headers: { location: web } });
  expect((await get(`${web}nothing`)).headers.etag).toBeUndefined();
});

test('nothing leads out of a website', async () => {
  const { body: none } = await get('/');
  for (const path of [
    `${web}../`,
    `${web}..%2f..%2fetc/passwd`,
    `${web}%2e%2e/${repo.name}/index.html`,
    `${web}.//index.html`,
    `${web}guide//index.html`,
    `${web}guide%2findex.html`,
    `${web}index.html%00`,
    `${web}%ff`,
    `${web}.git/config`,
    '//evil.example/',
    '/api/v3/user',
    '/%',
    '*',
    'http://evil.example/',
  ]) {
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect([none, 'Not here']).toContain(answer.body);
  }
});

test('links of a repository and other repositories in it are not served', async () => {
  const gitRepository = repoOf(here.hearth.services.git, repo.id);
  const { repo: other, at: otherAt, web: otherWeb } = await published();
  const linked = repoOf(here.hearth.services.git, other.id);
  const base = await gitCommit(linked, { 'index.html': 'x', secret: 'y' }, []);
  const target = await writeBlob(linked, Buffer.from('secret'));
  const entries = [
    `120000 blob ${target}\tlink.html`,
    `120000 blob ${target}\tfolder`,
    `160000 commit ${base}\tmodule`,
    `100644 blob ${target}\tindex.html`,
  ];
  const tree = (await treeOf(linked.path, entries)).trim();
  const person = { name: 'Ada', email: 'ada@example.org', date: new Date(0), zone: 0 };
  const made = await writeCommit(linked, { tree, parents: [], author: person, committer: person, message: 'Links' });
  await client.patch(`${otherAt}/git/refs/heads/main`, { sha: made, force: true });
  await here.settle();
  expect(await get(otherWeb)).toMatchObject({ status: 200, body: 'secret' });
  for (const path of ['link.html', 'link', 'folder', 'folder/', 'module', 'module/', 'module/index.html'])
    expect((await get(otherWeb + path)).status, path).toBe(404);
  expect(gitRepository.id).not.toBe(linked.id);
});

/** Writes a tree of entries as `git ls-tree` shows them. */
async function treeOf(path: string, entries: readonly string[]): Promise<string> {
  const { spawn } = await import('node:child_process');
  const child = spawn('git', ['mktree', '--missing'], { cwd: path, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${entries.join('\n')}\n`);
  let out = '';
  for await (const chunk of child.stdout) out += chunk;
  return out;
}

test.each(['index.html', 'middle.txt', 'large.bin'])('%s can be had again, in parts, and without its bytes', async (name) => {
  const path = web + name;
  const whole = await get(path);
  const etag = whole.headers.etag ?? '';
  expect(whole).toMatchObject({ status: 200, body: files[name as keyof typeof files] });
  const size = whole.bytes.length;
  expect(await get(path, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, body: '', headers: { etag } });
  expect(await get(path, { headers: { 'if-none-match': `"other", W/${etag}` } })).toMatchObject({ status: 304 });
  expect((await get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  expect(await get(path, { method: 'HEAD' })).toMatchObject({
    status: 200,
    body: '',
    headers: { etag, 'content-length': String(size), 'content-type': whole.headers['content-type'] },
  });
  for (const [range, from, to] of [
    ['bytes=2-5', 2, 5],
    ['bytes=8-', 8, size - 1],
    ['bytes=-3', size - 3, size - 1],
  ] as const)
    expect(await get(path, { headers: { range } })).toMatchObject({
      status: 206,
      body: whole.body.slice(from, to + 1),
      headers: { 'content-range': `bytes ${from}-${to}/${size}`, 'content-length': String(to - from + 1) },
    });
  const beyond = await get(path, { headers: { range: `bytes=${size}-` } });
  expect(beyond).toMatchObject({ status: 416, headers: { 'content-range': `bytes */${size}` } });
  for (const headers of [{ range: 'bytes=0-1,3-4' }, { range: 'bytes=0-1', 'if-range': '"other"' }])
    expect(await get(path, { headers })).toMatchObject({ status: 200, body: whole.body });
  expect((await get(path, { headers: { range: 'bytes=0-1', 'if-range': etag } })).status).toBe(206);
});

test('websites are read, and nothing is signed in or changed', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
    expect(await get(web, { method }), method).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  const secret = await published({ 'index.html': 'inner' }, { visibility: 'private' });
  const authorization = `Bearer ${await here.token(stage.owner)}`;
  expect((await get(secret.web, { headers: { authorization } })).status).toBe(404);
  expect((await get(web, { headers: { authorization: 'Bearer wrong', cookie: 'hearth_session=x' } })).status).toBe(200);
  // There is the page of the repository.
  expect(await (await fetch(`${here.url}${web}`)).text()).toContain(' · Hearth</title>');
  expect((await get(`${web}api/v3/meta`)).body).toBe('Not here');
});

test('a website is found by its host and path, and demands HTTPS where it has that', async () => {
  expect((await client.get(`${at}/pages`)).body).toMatchObject({
    html_url: `https://pages.test${web}`,
    https_enforced: true,
  });
  expect(await stage.get(`${web}about?x`, { host: 'pages.test' })).toMatchObject({
    status: 301,
    headers: { location: `https://pages.test${web}about?x` },
  });
  expect((await get(web, { host: 'unknown.example' })).status).toBe(404);
  expect((await get(web, { host: '127.0.0.1' })).status).toBe(404);
  expect((await get(web, { host: 'evil host' })).status).toBe(400);
  expect((await get(web.toUpperCase())).status).toBe(200);
  const refused = await client.put(`${at}/pages`, { cname: 'pages.test' });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'cname' }] } });
  expect((await client.put(`${at}/pages`, { cname: 'x.pages.test' })).status).toBe(422);
});

test('a request costs one statement, and no git process once a file was read', async () => {
  const ask = () => stage.app.inject({ url: web, headers: { host: 'pages.test', 'x-forwarded-proto': 'https' } });
  await ask();
  const { result, statements } = await countStatements(() => countGitProcesses(ask));
  expect(result.result).toMatchObject({ statusCode: 200, body: '<h1>Home</h1>' });
  expect(result.started).toEqual([]);
  expect(statements).toHaveLength(1);
  const together = await countStatements(() => Promise.all(Array.from({ length: 50 }, ask)));
  expect(together.result.every(({ statusCode }) => statusCode === 200)).toBe(true);
  expect(together.statements.length).toBeGreaterThan(0);
  expect(together.statements.length).toBeLessThan(25);
  // Nothing of what decides is remembered.
  await sql`update repositories set visibility = 'private' where id = ${repo.id}`.execute(here.db);
  expect((await get(web)).status).toBe(404);
  await sql`update repositories set visibility = 'public' where id = ${repo.id}`.execute(here.db);
});

test("an owner's website, with the others below it, and its domain for all of them", async () => {
  const own = await published({ 'index.html': 'Owner', 'about.html': 'Of the owner' }, { name: `${org.login}.pages.test` });
  expect((await client.get(`${own.at}/pages`)).body.html_url).toBe(`https://pages.test/${org.login}/`);
  expect(await get(`/${org.login}/`)).toMatchObject({ body: 'Owner' });
  expect(await get(`/${org.login}`)).toMatchObject({ status: 301, headers: { location: `/${org.login}/` } });
  expect(await get(`/${org.login}/about`)).toMatchObject({ body: 'Of the owner' });
  expect(await get(web)).toMatchObject({ body: '<h1>Home</h1>' });
  await client.put(`${own.at}/pages`, { cname: 'owner.example' });
  expect(await get('/', { host: 'owner.example' })).toMatchObject({ body: 'Owner' });
  expect(await get(`/${repo.name}/about`, { host: 'owner.example' })).toMatchObject({ body: 'About' });
  expect(await get(`/${repo.name}`, { host: 'owner.example' })).toMatchObject({ status: 301 });
  expect(await get(`/${org.login}/about`)).toMatchObject({ headers: { location: 'http://owner.example/about' } });
  expect((await stage.get('/', { host: 'owner.example' })).status).toBe(200);
});

test('no path has a part that leads elsewhere', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('/', '.', '..', '%2e', '%2F', '%00', '%', '?', '#', 'a', '%C3%BC', '\\'), { maxLength: 12 }),
      (pieces) => {
        const parts = partsOf(`/${pieces.join('')}`) ?? [];
        for (const [index, part] of parts.entries()) {
          expect(part).not.toMatch(/^\.{1,2}$|[/\0]/);
          if (index < parts.length - 1) expect(part).not.toBe('');
        }
      },
    ),
  );
});

test('hosts name owners where each has one', () => {
  const wide = { ...origin, hasSubdomains: true };
  expect(siteCandidatesOf(wide, 'Ada.pages.test', ['engine', ''])).toMatchObject([
    { owner: 'ada', first: 'engine', ownerParts: 0 },
  ]);
  expect(siteCandidatesOf(wide, 'pages.test', ['ada', 'engine'])).toEqual([]);
  expect(siteCandidatesOf(wide, 'a.b.pages.test', [''])).toMatchObject([{ domain: 'a.b.pages.test' }]);
  expect(siteCandidatesOf(undefined, '10.0.0.1', ['ada', 'engine'])).toMatchObject([
    { owner: 'ada', first: 'engine', ownerParts: 1 },
  ]);
  expect(siteCandidatesOf(undefined, '[::1]', ['ada', ''])).toMatchObject([{ owner: 'ada', first: undefined }]);
  expect(siteCandidatesOf(undefined, 'code.example', ['ada'])).toMatchObject([
    { domain: 'code.example', first: 'ada' },
    { owner: 'ada' },
  ]);
});

test('an address is an origin, with a star where owners have hosts', async () => {
  const { parsePagesOrigin, siteUrl } = await import('#endpoint/pages-address.ts');
  const wide = parsePagesOrigin('https://*.pages.example.com:8443');
  expect(wide).toEqual({ protocol: 'https:', hostname: 'pages.example.com', port: ':8443', hasSubdomains: true });
  const site = { owner: { login: 'Ada' }, https_enforced: true };
  const pages = { origin: wide, port: 3001, isSecure: false };
  expect(siteUrl(wide, pages, { ...site, name: 'engine' })).toBe('https://ada.pages.example.com:8443/engine/');
  expect(siteUrl(wide, pages, { ...site, name: 'ada.pages' })).toBe('https://ada.pages.example.com:8443/');
  const own = { ...site, name: 'engine', domain: 'engine.example' };
  expect(siteUrl(wide, pages, own)).toBe('https://engine.example:8443/');
  expect(siteUrl(wide, pages, { ...own, https_enforced: false })).toBe('http://engine.example/');
  const bare = { port: 3001, isSecure: false };
  expect(siteUrl({ ...wide, protocol: 'http:' }, bare, own)).toBe('http://engine.example:3001/');
  for (const text of ['pages.example.com', 'https://a/b', 'https://a?x', 'ftp://a', 'https://u@a', 'https://a.*.b', ''])
    expect(() => parsePagesOrigin(text), text).toThrow('must be an address');
});
