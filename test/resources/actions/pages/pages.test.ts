import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { nameServer, type Zone } from '#test/support/name-server.ts';
import { fresh } from '#test/support/world.ts';
import { siteSetting } from './setting.ts';

const zones = new Map<string, Zone>();
const stage = await siteSetting({
  nameServers: [await nameServer(zones)],
  resourceLimits: { pages: { files: 5, size: 2_000, file: 1_000 } },
});
const { here, org, owner, client, get, port, commit, repository, published, heard } = stage;

test('a website is published from a branch, replaced by a push, spared by a bad one, and taken back', async () => {
  const { repo, at, web } = await repository({ 'index.html': 'one', '404.html': 'nothing here' });
  expect((await get(web)).status).toBe(404);
  const created = await client.post(`${at}/pages`, { source: { branch: 'main' } });
  expect(created).toMatchObject({
    status: 201,
    body: {
      status: 'building',
      cname: null,
      html_url: `http://127.0.0.1:${port}${web}`,
      build_type: 'legacy',
      source: { branch: 'main', path: '/' },
      public: true,
      https_enforced: false,
    },
  });
  const told = await heard();
  const first = (await client.get(`${at}/pages/builds/latest`)).body;
  expect(first).toMatchObject({ status: 'built', error: { message: null }, pusher: { login: owner.login } });
  expect(told.page_build).toMatchObject({
    build: { status: 'built', commit: first.commit, url: expect.stringContaining(`${at}/pages/builds/`) },
    repository: { has_pages: true },
    sender: { login: owner.login },
  });
  expect(await get(web)).toMatchObject({ status: 200, body: 'one' });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ status: 'built', custom_404: true });
  expect((await client.get(at)).body).toMatchObject({ has_pages: true });

  const good = await commit(repo, { 'index.html': 'two' });
  await here.settle();
  expect(await get(web)).toMatchObject({ status: 200, body: 'two' });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ status: 'built', custom_404: false });

  await commit(repo, { 'index.html': 'three', 'large.bin': 'x'.repeat(1_001) });
  expect((await heard()).page_build).toMatchObject({
    build: { status: 'errored', error: { message: 'The file large.bin is larger than 0 MB.' } },
  });
  expect(await get(web)).toMatchObject({ status: 200, body: 'two' });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ status: 'errored' });

  await client.patch(`${at}/git/refs/heads/main`, { sha: first.commit, force: true });
  await here.settle();
  expect(await get(web)).toMatchObject({ status: 200, body: 'one' });
  const builds = (await client.get(`${at}/pages/builds`)).body;
  expect(builds.map(({ commit: sha, status }: { commit: string; status: string }) => [sha === good, status])).toEqual([
    [false, 'built'],
    [false, 'errored'],
    [true, 'built'],
    [false, 'built'],
  ]);
  const id = builds[2].url.split('/').at(-1);
  expect((await client.get(`${at}/pages/builds/${id}`)).body).toEqual(builds[2]);
});

test('what is served stays, whatever becomes of the branch, and goes with the website', async () => {
  const { repo, at, web } = await published({ 'index.html': 'kept' });
  const gitRepository = repoOf(here.hearth.services.git, repo.id);
  expect(await findRef(gitRepository, 'refs/hearth/pages')).toMatchObject({ type: 'commit' });
  await client.post(`${at}/git/refs`, { ref: 'refs/heads/other', sha: (await client.get(`${at}/commits/main`)).body.sha });
  await client.post(`${at}/branches/main/rename`, { new_name: 'trunk' });
  await here.settle();
  expect((await client.get(`${at}/pages`)).body.source).toEqual({ branch: 'trunk', path: '/' });
  expect(await get(web)).toMatchObject({ body: 'kept' });
  expect((await client.delete(`${at}/pages`)).status).toBe(204);
  expect((await get(web)).status).toBe(404);
  await here.settle();
  expect(await findRef(gitRepository, 'refs/hearth/pages')).toBeUndefined();
  expect((await client.get(at)).body.has_pages).toBe(false);
  expect((await client.get(`${at}/pages`)).status).toBe(404);
  expect((await client.delete(`${at}/pages`)).status).toBe(404);
  expect((await client.get(`${at}/pages/builds/latest`)).status).toBe(404);
});

test('a build that takes the domain of another repository leaves the website, its domain and its files as they were', async () => {
  const other = await published();
  await client.put(`${other.at}/pages`, { cname: 'theirs.example' });
  const { repo, at } = await published({ 'index.html': 'mine', CNAME: 'mine.example' });
  const gitRepository = repoOf(here.hearth.services.git, repo.id);
  const served = await findRef(gitRepository, 'refs/hearth/pages');
  await commit(repo, { 'index.html': 'bad', CNAME: 'theirs.example' });
  await here.settle();
  expect((await client.get(`${at}/pages/builds/latest`)).body).toMatchObject({
    status: 'errored',
    error: { message: expect.stringContaining('belongs to another repository') },
  });
  expect((await client.get(`${at}/pages`)).body.cname).toBe('mine.example');
  expect(await get('/', { host: 'mine.example' })).toMatchObject({ body: 'mine' });
  expect(await findRef(gitRepository, 'refs/hearth/pages')).toEqual(served);
});

test('the folder /docs, and builds that are asked for', async () => {
  const { repo, at, web } = await published({ 'docs/index.html': 'docs', 'index.html': 'root' });
  expect((await client.put(`${at}/pages`, { source: { branch: 'main', path: '/docs' } })).status).toBe(204);
  expect(await get(web)).toMatchObject({ body: 'root' });
  await here.settle();
  expect(await get(web)).toMatchObject({ body: 'docs' });
  expect((await get(`${web}docs/`)).status).toBe(404);
  await commit(repo, { 'index.html': 'no docs' });
  await here.settle();
  expect((await client.get(`${at}/pages/builds/latest`)).body).toMatchObject({
    status: 'errored',
    error: { message: 'The branch has no folder /docs.' },
  });
  expect(await get(web)).toMatchObject({ body: 'docs' });
  expect((await client.put(`${at}/pages`, { source: 'main' })).status).toBe(204);
  expect((await client.post(`${at}/pages/builds`)).body).toMatchObject({ status: 'queued' });
  await here.settle();
  expect(await get(web)).toMatchObject({ body: 'no docs' });
  expect((await client.get(`${at}/pages/builds`)).body).toHaveLength(5);
  await client.put(`${at}/pages`, { build_type: 'workflow' });
  expect((await client.post(`${at}/pages/builds`)).status).toBe(422);
  await commit(repo, { 'index.html': 'not built' });
  await here.settle();
  expect(await get(web)).toMatchObject({ body: 'no docs' });
});

test('a build that the server fails again and again ends as failed, and the next one is built', async () => {
  const { repo, at, web } = await published();
  const { path } = repoOf(here.hearth.services.git, repo.id);
  await commit(repo, { 'index.html': 'two' });
  await here.settle();
  expect((await client.post(`${at}/pages/builds`)).status).toBe(201);
  await here.change((scope) => sql`update jobs._private_jobs set max_attempts = 1`.execute(scope.tx));
  await rename(join(path, 'refs'), join(path, 'refs-away'));
  await here.settle();
  await rename(join(path, 'refs-away'), join(path, 'refs'));
  expect((await client.get(`${at}/pages/builds/latest`)).body).toMatchObject({
    status: 'errored',
    error: { message: expect.stringContaining('The server failed') },
  });
  expect((await client.get(`${at}/pages`)).body.status).toBe('errored');
  expect(await get(web)).toMatchObject({ body: 'two' });
  await client.post(`${at}/pages/builds`);
  await here.settle();
  expect((await client.get(`${at}/pages/builds/latest`)).body.status).toBe('built');
});

test.each([
  ['too many files', Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.txt`, String(at)])), 'more than 5 files'],
  ['too much', Object.fromEntries(['a', 'b', 'c'].map((name) => [name, name.repeat(900)])), 'The website is larger than'],
  ['a bad domain', { CNAME: 'not a domain' }, 'The file CNAME: not a domain must be a domain'],
])('a build with %s fails, and says so', async (_what, files, message) => {
  const { at, web } = await published(files);
  expect((await client.get(`${at}/pages/builds/latest`)).body).toMatchObject({
    status: 'errored',
    error: { message: expect.stringContaining(message) },
  });
  expect((await get(web)).status).toBe(404);
});

test('a new website without a source that is there is refused, and nothing is written', async () => {
  const { at } = await repository();
  await here.unchanged(['pages_sites', 'pages_builds', 'events'], async () => {
    for (const [wanted, field, code] of [
      [{}, 'source', 'missing_field'],
      [{ build_type: 'legacy' }, 'source', 'missing_field'],
      [{ source: { branch: 'nowhere' } }, 'source', 'invalid'],
      [{ source: { branch: 'main', path: '/other' } }, 'source.path', 'invalid'],
      [{ source: { branch: '' } }, 'source.branch', 'invalid'],
    ] as const) {
      const refused = await client.post(`${at}/pages`, wanted);
      expect(refused, JSON.stringify(wanted)).toMatchObject({ status: 422, body: { errors: [{ field, code }] } });
    }
  });
});

test('a repository has one website', async () => {
  const { at } = await repository();
  const wanted = { source: { branch: 'main' } };
  const replies = await Promise.all([1, 2].map(() => client.post(`${at}/pages`, wanted)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
});

test('what is no domain, or that of another repository, is refused by its field, and nothing is written', async () => {
  const [{ at: other }, { at }] = [await published(), await published()];
  await client.put(`${other}/pages`, { cname: 'taken.example' });
  const bad = ['localhost', '127.0.0.1', '[::1]', 'single', 'https://www.example.com', 'www.example.com/path', 'a..example.com'];
  const worse = ['-a.example.com', '*.example.com', 'www.example.com:8080', 'a b.example', `${'a'.repeat(64)}.example.com`];
  await here.unchanged(['pages_sites', 'pages_domains', 'events'], async () => {
    for (const [names, code] of [
      [[...bad, ...worse], 'invalid'],
      [['taken.example', 'WWW.Taken.example'], 'already_exists'],
    ] as const)
      for (const cname of names)
        expect(await client.put(`${at}/pages`, { cname }), cname).toMatchObject({
          status: 422,
          body: { errors: [{ resource: 'Page', field: 'cname', code }] },
        });
  });
  const replies = await Promise.all([other, at].map((site) => client.put(`${site}/pages`, { cname: 'wanted.example' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([204, 422]);
  expect((await client.put(`${at}/pages`, {})).status).toBe(400);
});

test('a domain leads to its website, from the other addresses too, and the file CNAME names it', async () => {
  const { repo, at, web } = await published({ 'index.html': 'mine', 'a/b.html': 'deep' });
  expect((await client.put(`${at}/pages`, { cname: 'Engine.Example' })).status).toBe(204);
  const url = `http://engine.example:${port}/`;
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ cname: 'engine.example', html_url: url });
  expect(await get('/', { host: 'engine.example' })).toMatchObject({ status: 200, body: 'mine' });
  expect(await get('/a/b', { host: `ENGINE.example:${port}` })).toMatchObject({ status: 200, body: 'deep' });
  expect(await get('/a/b', { host: 'www.engine.example' })).toMatchObject({ status: 301, headers: { location: `${url}a/b` } });
  expect(await get(`${web}a/b?x=1`)).toMatchObject({ status: 301, headers: { location: `${url}a/b?x=1` } });
  await commit(repo, { 'index.html': 'moved', CNAME: '\nother.example\n' });
  await here.settle();
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ cname: 'other.example', status: 'built' });
  expect((await get('/', { host: 'engine.example' })).status).toBe(404);
  expect(await get('/', { host: 'other.example' })).toMatchObject({ body: 'moved' });
  expect((await client.put(`${at}/pages`, { cname: null })).status).toBe(204);
  expect((await get('/', { host: 'other.example' })).status).toBe(404);
  expect(await get(web)).toMatchObject({ body: 'moved' });
  expect((await client.put(`${at}/pages`, { https_enforced: true })).body.errors).toMatchObject([{ field: 'https_enforced' }]);
});

test('the check of a domain says what DNS and the server behind it answer', async () => {
  const { at } = await published();
  expect((await client.get(`${at}/pages/health`)).status).toBe(400);
  await client.put(`${at}/pages`, { cname: 'healthy.example' });
  expect((await client.get(`${at}/pages/health`)).status).toBe(202);
  await here.settle();
  const missing = await client.get(`${at}/pages/health`);
  expect(missing).toMatchObject({ status: 200, body: { domain: { dns_resolves: false, is_valid: false } } });
  expect(missing.body.domain.reason).toBe('The domain has no address.');

  zones.set('healthy.example', { addresses: ['127.0.0.1'], nameServers: ['ns.example'], mail: ['mail.example'] });
  here.clock.now = new Date(here.clock.now.getTime() + 10 * 60_000);
  await client.get(`${at}/pages/health`);
  await here.settle();
  expect((await client.get(`${at}/pages/health`)).body).toMatchObject({
    domain: {
      host: 'healthy.example',
      uri: `http://healthy.example:${port}/`,
      nameservers: 'ns.example',
      dns_resolves: true,
      is_a_record: true,
      has_cname_record: false,
      has_mx_records_present: true,
      is_apex_domain: true,
      should_be_a_record: true,
      is_served_by_pages: true,
      is_valid: true,
      reason: null,
      responds_to_https: false,
      is_proxied: null,
    },
    alt_domain: { host: 'www.healthy.example', dns_resolves: false },
  });
});

test('a website of a private repository is seen by all only where somebody said so', async () => {
  const { at, web } = await published({ 'index.html': 'inner' }, { visibility: 'private' });
  expect((await client.get(`${at}/pages`)).body).toMatchObject({ status: 'built', public: false });
  const hidden = await get(web);
  expect(hidden.status).toBe(404);
  expect(await get(`/${org.login}/${fresh('nothing')}/`)).toMatchObject({ status: 404, body: hidden.body });
  await client.put(`${at}/pages`, { public: true });
  expect(await get(web)).toMatchObject({ status: 200, body: 'inner' });
  await client.put(`${at}/pages`, { public: false });
  expect((await get(web)).status).toBe(404);

  const open = await published({ 'index.html': 'open' });
  await client.put(`${open.at}/pages`, { public: true });
  expect((await get(open.web)).status).toBe(200);
  await client.patch(open.at, { private: true });
  expect((await get(open.web)).status).toBe(404);
});

test('who may publish: maintainers, and where the organization leaves it to its owners, these', async () => {
  const { repo, at } = await repository();
  const [writer, maintainer] = [await here.user(), await here.user()];
  await here.collaborator(repo, writer, 'write');
  await here.collaborator(repo, maintainer, 'maintain');
  const [asWriter, asMaintainer] = [await here.as(writer), await here.as(maintainer)];
  const wanted = { source: { branch: 'main' } };
  expect((await asWriter.post(`${at}/pages`, wanted)).status).toBe(403);
  await client.patch(`/orgs/${org.login}`, { members_can_create_public_pages: false });
  expect((await asMaintainer.post(`${at}/pages`, wanted)).status).toBe(403);
  await client.patch(`/orgs/${org.login}`, { members_can_create_public_pages: true });
  expect((await asMaintainer.post(`${at}/pages`, wanted)).status).toBe(201);
  expect((await asWriter.post(`${at}/pages/builds`)).status).toBe(201);
  expect((await asWriter.put(`${at}/pages`, { public: false })).status).toBe(403);
  const one = await here.fineGrained(owner, org, { pages: 'write' });
  expect((await (await here.as(one)).delete(`${at}/pages`)).status).toBe(403);
  const both = await here.fineGrained(owner, org, { pages: 'write', administration: 'write' });
  expect((await (await here.as(both)).delete(`${at}/pages`)).status).toBe(204);
});

test('a list of builds costs as many statements for many as for one', async () => {
  const { at } = await published();
  const one = await here.statements(owner, `${at}/pages/builds`);
  for (const _ of [1, 2]) await client.post(`${at}/pages/builds`);
  expect((await client.get(`${at}/pages/builds`)).body).toHaveLength(3);
  expect(await here.statements(owner, `${at}/pages/builds`)).toBe(one);
});

test('a server without a port for websites publishes none', async () => {
  const [{ at }, there] = [await repository(), await published()];
  const without = await here.another({ pages: undefined });
  const headers = { authorization: `Bearer ${await here.token(owner)}` };
  const ask = async (method: 'POST' | 'PUT' | 'GET', path: string, payload: object) => {
    const reply = await without.app.inject({ method, url: `/api/v3${path}`, headers, ...(method === 'GET' ? {} : { payload }) });
    return [reply.statusCode, reply.json().message];
  };
  const refused = [422, 'This server publishes no websites: its port for them is switched off.'];
  await here.unchanged(['pages_sites', 'events'], async () => {
    expect(await ask('POST', `${at}/pages`, { source: { branch: 'main' } })).toEqual(refused);
    expect(await ask('PUT', `${there.at}/pages`, { build_type: 'workflow' })).toEqual(refused);
  });
});
