import { expect, test } from 'vitest';
import { commitChanges } from '#git/history/commit-changes.ts';
import type { TreeChange } from '#git/objects/write-tree.ts';
import { diskOf, history, person, point } from '#test/resources/code/commits/setting.ts';
import type { Answer } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const raw = { headers: { accept: 'application/vnd.service.raw+json' } };

const file = (path: string, text: string, mode: '100644' | '120000' = '100644') => ({ path, mode, content: Buffer.from(text) });

/** A reply that the checks of the test client have no place for. */
async function getJson(path: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const reply = await fetch(`${w.url}/api/v3${path}`);
  return { status: reply.status, body: await reply.json() };
}

async function setting(changes: TreeChange[]) {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const by = person('Ada', 1);
  const given = { parents: [], author: by, committer: by, message: 'x', changes };
  const { commit } = await commitChanges(diskOf(w, repo), given);
  await point(w, repo, 'refs/heads/main', commit);
  return { owner, repo, commit, client: await w.as(owner), path: `/repos/${owner.login}/${repo.name}` };
}

test('shows a file in JSON, at a branch, a tag or a commit, and as raw bytes', async () => {
  const { client, path, commit } = await setting([file('src/grüße #1.txt', 'Grüße\n')]);
  const place = `${path}/contents/src/gr%C3%BC%C3%9Fe%20%231.txt`;

  const { body } = await client.get(place);
  expect(body).toMatchObject({ type: 'file', encoding: 'base64', name: 'grüße #1.txt', path: 'src/grüße #1.txt', size: 8 });
  expect(Buffer.from(body.content, 'base64').toString()).toBe('Grüße\n');
  expect(body.url).toMatch(/contents\/src\/gr%C3%BC%C3%9Fe%20%231\.txt\?ref=main$/);
  for (const ref of ['main', 'heads/main', commit, commit.slice(0, 7)])
    expect((await client.get(`${place}?ref=${ref}`)).body.sha).toBe(body.sha);

  const bytes = await client.get(place, raw);
  expect(bytes.text).toBe('Grüße\n');
  expect(bytes.headers['content-type']).toBe('application/vnd.service.raw; charset=utf-8');
  const older = await client.get(place, { headers: { accept: 'application/vnd.service.v3.raw' } });
  expect([older.text, older.headers['content-type']]).toEqual(['Grüße\n', 'application/vnd.service.v3.raw; charset=utf-8']);
  const known = { headers: { ...raw.headers, 'if-none-match': bytes.headers.etag ?? '' } };
  expect((await client.get(place, known)).status).toBe(304);
  const address = new URL(body.download_url);
  expect((await client.get(address.pathname.replace('/api/v3', '') + address.search)).text).toBe('Grüße\n');
});

test('lists a folder, and gives it as an object where that is asked for', async () => {
  const { client, path } = await setting([
    file('a.txt', 'a'),
    file('lib/b.txt', 'bb'),
    { path: 'dep', mode: '160000', oid: '1'.repeat(40) },
    file('link', 'a.txt', '120000'),
  ]);
  for (const root of ['/contents', '/contents/']) {
    const { body } = root.endsWith('/') ? await client.get(path + root) : await getJson(`${path}${root}`);
    expect(body.map((entry: { type: string; path: string; size: number }) => [entry.type, entry.path, entry.size])).toEqual([
      ['file', 'a.txt', 1],
      ['file', 'dep', 0],
      ['dir', 'lib', 0],
      ['symlink', 'link', 5],
    ]);
    expect(body[1]).toMatchObject({ git_url: null, html_url: null, download_url: null });
  }
  const lib = await client.get(`${path}/contents/lib/`);
  expect(lib.body).toMatchObject([{ path: 'lib/b.txt', name: 'b.txt', size: 2 }]);

  const object = await fetch(`${w.url}/api/v3${path}/contents/lib`, {
    headers: { accept: 'application/vnd.github.object+json' },
  });
  expect(await object.json()).toMatchObject({ type: 'dir', path: 'lib', entries: [{ path: 'lib/b.txt', type: 'file' }] });
});

test('follows a link to a file, and shows one that leads elsewhere', async () => {
  const { client, path } = await setting([
    file('a.txt', 'the text'),
    file('lib/near', '../a.txt', '120000'),
    file('lib/out', '../../../../etc/passwd', '120000'),
    file('lib/root', '/etc/passwd', '120000'),
    file('lib/gone', 'nothing', '120000'),
    file('lib/self', 'self', '120000'),
  ]);
  const near = await client.get(`${path}/contents/lib/near`);
  expect(near.body).toMatchObject({ type: 'file', size: 8 });
  expect((await client.get(`${path}/contents/lib/near`, raw)).text).toBe('the text');
  for (const [name, target] of [
    ['out', '../../../../etc/passwd'],
    ['root', '/etc/passwd'],
    ['gone', 'nothing'],
    ['self', 'self'],
  ]) {
    expect((await client.get(`${path}/contents/lib/${name}`)).body).toMatchObject({ type: 'symlink', target });
    expect((await client.get(`${path}/contents/lib/${name}`, raw)).text).toBe(target);
  }
});

test('shows a submodule with where it comes from', async () => {
  const modules =
    '[submodule "dep"]\n\tpath = vendor/dep\n\turl = https://git.example/dep.git\n[submodule "other"]\n\tpath=o\n\turl = "x y"\n';
  const { client, path } = await setting([
    file('.gitmodules', modules),
    { path: 'vendor/dep', mode: '160000', oid: '1'.repeat(40) },
    { path: 'unknown', mode: '160000', oid: '2'.repeat(40) },
  ]);
  const shown = await client.get(`${path}/contents/vendor/dep`);
  expect(shown.body).toMatchObject({ type: 'submodule', submodule_git_url: 'https://git.example/dep.git', sha: '1'.repeat(40) });
  // The public description wants an address even where none is known.
  expect((await getJson(`${path}/contents/unknown`)).body).toMatchObject({ type: 'submodule', submodule_git_url: '' });
  expect((await client.get(`${path}/contents/unknown/x`)).status).toBe(404);
});

test.each([
  ['http://HOST/octo/dep.git', 'octo/dep'],
  ['http://HOST/octo/dep', 'octo/dep'],
  ['ssh://git@NAME:2222/octo/dep.git', 'octo/dep'],
  ['git@NAME:octo/dep.git', 'octo/dep'],
  ['../dep.git', 'OWNER/dep'],
  ['../../octo/dep', 'octo/dep'],
  ['http://NAME:1/octo/dep.git', undefined],
  ['https://git.example/octo/dep.git', undefined],
  ['git@git.example:octo/dep.git', undefined],
  ['http://HOST/octo/dep/more', undefined],
  ['http://HOST/octo', undefined],
  ['http://[', undefined],
])('a submodule from %s leads to %s', async (from, name) => {
  const { host, hostname } = new URL(w.url);
  const source = from.replace('HOST', host).replace('NAME', hostname);
  const { client, path, owner } = await setting([
    file('.gitmodules', `[submodule "dep"]\n\tpath = dep\n\turl = ${source}\n`),
    { path: 'dep', mode: '160000', oid: '1'.repeat(40) },
  ]);
  const repository = name?.replace('OWNER', owner.login);
  const git_url = repository === undefined ? null : `${w.url}/api/v3/repos/${repository}/git/trees/${'1'.repeat(40)}`;
  const html_url = repository === undefined ? null : `${w.url}/${repository}/tree/${'1'.repeat(40)}`;
  const addresses = { git_url, html_url, _links: { git: git_url, html: html_url } };
  // The public description takes no relative and no short address, which repositories have nevertheless.
  expect((await getJson(`${path}/contents/dep`)).body).toMatchObject({ submodule_git_url: source, ...addresses });
  expect((await client.get(`${path}/contents/`)).body[1]).toMatchObject({ path: 'dep', ...addresses });
});

test('gives a file above a megabyte without its content, and whole as raw bytes', async () => {
  const text = 'x'.repeat(1024 * 1024 + 1);
  const { client, path } = await setting([file('big', text), file('just', text.slice(1))]);
  expect((await client.get(`${path}/contents/big`)).body).toMatchObject({ encoding: 'none', content: '', size: text.length });
  expect((await client.get(`${path}/contents/just`)).body.encoding).toBe('base64');
  expect((await client.get(`${path}/contents/big`, raw)).text.length).toBe(text.length);
  const head = await fetch(`${w.url}/api/v3${path}/contents/big`, { method: 'HEAD', ...raw });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('renders files as HTML that no browser takes for a page', async () => {
  const { client, path } = await setting([
    file('docs/README.md', '# Engine\n\n**Loud** <script>alert(1)</script>\n'),
    file('a.c', 'if (a < b) **c;\n'),
    file('big.md', '#'.repeat(1024 * 1024 + 1)),
  ]);
  const html = { headers: { accept: 'application/vnd.service.html+json' } };
  for (const place of ['contents/docs/README.md', 'readme', 'readme/docs']) {
    const { status, headers, text } = await client.get(`${path}/${place}`, html);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/vnd.service.html; charset=utf-8');
    expect(text).toContain('<h1>Engine</h1>');
    expect(text).toContain('<strong>Loud</strong>');
    expect(text).not.toContain('<script');
  }
  expect((await client.get(`${path}/contents/a.c`, html)).text).toBe('<pre>if (a &lt; b) **c;\n</pre>\n');
  expect((await client.get(`${path}/contents/docs`, html)).body).toMatchObject([{ path: 'docs/README.md' }]);
  expect(await client.get(`${path}/contents/big.md`, html)).toMatchObject({
    status: 403,
    body: { errors: [{ code: 'too_large' }] },
  });
});

test('refuses a file above a hundred megabytes, naming what is too large', async () => {
  const { client, path } = await setting([file('huge', 'x'.repeat(100 * 1024 * 1024 + 1))]);
  for (const options of [{}, raw]) {
    const reply = await client.get(`${path}/contents/huge`, options);
    expect(reply).toMatchObject({ status: 403, body: { errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }] } });
  }
});

test('finds nothing where nothing can be', async () => {
  const { client, path, owner } = await setting([file('a.txt', 'a')]);
  for (const wrong of ['none', 'a.txt/below', '..%2Fa.txt', 'x%2F..%2Fa.txt', '.git/config', 'a%00', '%5C', 'a.txt%0A'])
    expect((await client.get(`${path}/contents/${wrong}`)).status, wrong).toBe(404);
  expect((await client.get(`${path}/contents/%FF`)).status).toBe(400);
  expect(await client.get(`${path}/contents/a.txt?ref=none`)).toMatchObject({
    status: 404,
    body: { message: 'No commit found for the ref none' },
  });
  expect((await client.get(`${path}/contents/a.txt?ref=--all`)).status).toBe(404);
  const empty = await w.repo(owner);
  expect(await client.get(`/repos/${owner.login}/${empty.name}/contents/`)).toMatchObject({
    status: 404,
    body: { message: 'This repository is empty.' },
  });
});

test('finds the README of a repository and of a folder', async () => {
  const { client, path } = await setting([
    file('README', 'plain'),
    file('readme.md', 'marked'),
    file('docs/README.md', 'docs'),
    file('docs/Readme.txt', 'text'),
    file('lib/x', ''),
  ]);
  expect((await client.get(`${path}/readme`)).body).toMatchObject({ path: 'readme.md', encoding: 'base64' });
  expect((await client.get(`${path}/readme`, raw)).text).toBe('marked');
  expect((await client.get(`${path}/readme/docs`)).body.path).toBe('docs/README.md');
  expect((await client.get(`${path}/readme/lib`)).status).toBe(404);
  expect((await client.get(`${path}/readme?ref=none`)).status).toBe(404);
});

test('is for those who may read the contents, and tells nobody else that there are any', async () => {
  const owner = await w.user();
  const { path, repo } = await history(w, owner, 1, 'private');
  const stranger = await w.user();
  for (const place of ['contents/1.txt', 'readme', 'raw/1.txt', 'tarball/main', 'tags', `archives/${'1'.repeat(40)}.zip`]) {
    const get = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/${place}`)).status;
    expect(await get(stranger), place).toBe(404);
    expect(await get(undefined), place).toBe(404);
    expect(await get(await w.fineGrained(owner, owner, { metadata: 'read' }, [repo])), place).toBe(403);
  }
  const reader = await w.fineGrained(owner, owner, { contents: 'read' }, [repo]);
  expect((await (await w.as(reader)).get(`${path}/contents/1.txt`)).status).toBe(200);
});
