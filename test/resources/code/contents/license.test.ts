import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Change } from '#endpoint/scope.ts';
import { measureBranch, measureUnmeasured } from '#resources/code/contents/measure.ts';
import { licenseText } from '#resources/repositories/licenses/index.ts';
import { git } from '#test/git/support.ts';
import { addressOf, change, workTree } from '#test/server/git-http/support.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const text = (key: string): string => licenseText(key, { owner: 'Ada Lovelace', year: 2026 });

/** A user with a repository, the address to push to, and its licence as the API shows it after all jobs. */
async function setup() {
  const ada: Account = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const path = `/repos/${ada.login}/${repo.name}`;
  const address = addressOf(w, { owner: ada, name: repo.name }, await w.token(ada));
  const license = async (of = path) => {
    await w.settle();
    return (await client.get(of)).body.license;
  };
  const key = async (of = path) => (await license(of))?.key ?? null;
  return { ada, repo, client, path, address, license, key };
}

test('a push tells which licence a repository has, and another push another one', async () => {
  const { path, address, license, key } = await setup();
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'main');
  expect(await license()).toBeNull();

  await change(folder, { LICENSE: text('mit') });
  await git(folder, 'push', '-q', address, 'main');
  expect(await license()).toEqual({
    key: 'mit',
    name: 'MIT License',
    spdx_id: 'MIT',
    url: `${w.url}/api/v3/licenses/mit`,
    node_id: Buffer.from('07:Licensemit').toString('base64'),
  });

  await git(folder, 'checkout', '-q', '-b', 'aside');
  await change(folder, { LICENSE: text('gpl-3.0') });
  await git(folder, 'push', '-q', address, 'aside');
  expect(await key()).toBe('mit');

  await git(folder, 'checkout', '-q', 'main');
  await change(folder, { LICENSE: 'You may look at it on Sundays.' });
  await git(folder, 'push', '-q', address, 'main');
  expect(await license()).toEqual({
    key: 'other',
    name: 'Other',
    spdx_id: 'NOASSERTION',
    url: null,
    node_id: Buffer.from('07:Licenseother').toString('base64'),
  });

  await rm(join(folder, 'LICENSE'));
  await change(folder, { 'docs/LICENSE': text('mit') });
  await git(folder, 'push', '-q', address, 'main');
  expect(await key(path)).toBeNull();
});

test('the licence file that counts first decides, and a link counts as what it leads to', async () => {
  const { address, key } = await setup();
  const folder = await workTree({ 'LICENSE-MIT': text('mit'), 'LICENSE-APACHE': text('apache-2.0') });
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('apache-2.0');
  await change(folder, { UNLICENSE: text('unlicense'), COPYING: 'Choose one of these.' });
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('unlicense');
  await symlink('LICENSE-MIT', join(folder, 'LICENSE'));
  await change(folder, {});
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('mit');
});

test('the LGPL is known by its addition to the GPL', async () => {
  const { address, key } = await setup();
  const folder = await workTree({ COPYING: text('gpl-3.0') });
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('gpl-3.0');
  await change(folder, { 'COPYING.LESSER': text('lgpl-3.0').split('\nGNU GENERAL PUBLIC LICENSE\n')[0] ?? '' });
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('lgpl-3.0');
});

test('a file of more than 64 kB is another licence, and is not read', async () => {
  const { address, key } = await setup();
  const folder = await workTree({ LICENSE: `${text('mit')}${'\n'.repeat(64 * 1024)}` });
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('other');
  await writeFile(join(folder, 'LICENSE'), Buffer.from([0xff, 0x00, 0xd8, 0x41]));
  await change(folder, {});
  await git(folder, 'push', '-q', address, 'main');
  expect(await key()).toBe('other');
});

test('creation, copies and another default branch have their licence too', async () => {
  const { ada, client, path, address, key } = await setup();
  await client.post('/user/repos', { name: 'begun', license_template: 'bsd-3-clause' });
  expect(await key(`/repos/${ada.login}/begun`)).toBe('bsd-3-clause');

  const folder = await workTree({ LICENSE: text('mpl-2.0') });
  await git(folder, 'push', '-q', address, 'main');
  await git(folder, 'checkout', '-q', '-b', 'next');
  await change(folder, { LICENSE: text('0bsd') });
  await git(folder, 'push', '-q', address, 'next');

  const bob = await w.user();
  await (await w.as(bob)).post(`${path}/forks`, { name: 'forked' });
  expect(await key(`/repos/${bob.login}/forked`)).toBe('mpl-2.0');
  await client.patch(path, { is_template: true });
  await client.post(`${path}/generate`, { name: 'generated' });
  expect(await key(`/repos/${ada.login}/generated`)).toBe('mpl-2.0');

  await client.patch(path, { default_branch: 'next' });
  expect(await key()).toBe('0bsd');
});

test('the licence file of a repository, of any commit, in JSON and as it is', async () => {
  const { repo, client, path } = await setup();
  expect((await client.get(`${path}/license`)).status).toBe(404);
  const first = await commitFiles(w, repo, { 'README.md': '# Bare' });
  expect((await client.get(`${path}/license`)).status).toBe(404);
  const second = await commitFiles(w, repo, { 'COPYING.txt': text('0bsd') });
  await commitFiles(w, repo, { LICENSE: 'Ask me first.' });

  const { status, body } = await client.get(`${path}/license?ref=${second}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ type: 'file', name: 'COPYING.txt', path: 'COPYING.txt', encoding: 'base64' });
  expect(body.license).toMatchObject({ key: '0bsd', spdx_id: '0BSD', url: `${w.url}/api/v3/licenses/0bsd` });
  expect(Buffer.from(body.content, 'base64').toString()).toBe(text('0bsd'));
  expect((await client.get(`${path}/license`)).body.license).toMatchObject({ key: 'other', url: null });
  const raw = await client.get(`${path}/license`, { headers: { accept: 'application/vnd.service.raw+json' } });
  expect(raw.text).toBe('Ask me first.');
  const html = await client.get(`${path}/license`, { headers: { accept: 'application/vnd.service.html+json' } });
  expect(html.text).toBe('<pre>Ask me first.</pre>\n');
  expect((await client.get(`${path}/license?ref=${first}`)).status).toBe(404);
  expect((await client.get(`${path}/license?ref=no-such`)).status).toBe(404);
});

test('a page of repositories with licences costs as many statements as one without', async () => {
  const { ada, client, repo } = await setup();
  const without = await w.statements(ada, '/user/repos');
  await commitFiles(w, repo, { LICENSE: text('mit') });
  await client.post('/user/repos', { name: 'begun', license_template: '0bsd' });
  await w.settle();
  expect(await w.statements(ada, '/user/repos')).toBe(without);
  const { body } = await client.get('/user/repos');
  expect(body.map(({ license }: { license: { key: string } }) => license.key).sort()).toEqual(['0bsd', 'mit']);
});

/** As a repository is after an upgrade from a version that knew nothing of licences. */
async function forget({ id }: RepositoryRow): Promise<void> {
  await w.db.updateTable('repositories').set({ license: null }).where('id', '=', id).execute();
  await w.db.updateTable('repository_languages').set({ detector: null }).where('repository_id', '=', id).execute();
}

test('repositories of former versions are looked at once', async () => {
  const { repo, key } = await setup();
  const { repo: bare } = await setup();
  await commitFiles(w, repo, { COPYING: text('gpl-2.0'), 'a.rs': 'fn' });
  await commitFiles(w, bare, { 'a.rs': 'fn' });
  await w.settle();
  await forget(repo);
  await w.db.deleteFrom('repository_languages').where('repository_id', '=', bare.id).execute();
  expect(await key()).toBeNull();

  const failures: unknown[] = [];
  const context = w.jobContext().scope;
  expect(await measureUnmeasured(context, (error) => failures.push(error))).toBe(2);
  expect(await key()).toBe('gpl-2.0');
  expect(await measureUnmeasured(context, (error) => failures.push(error))).toBe(0);
  expect(failures).toEqual([]);
});

test('the same commit is looked at again only where that is wanted', async () => {
  const { repo, key } = await setup();
  await commitFiles(w, repo, { LICENSE: text('mit') });
  await w.settle();
  await w.db.updateTable('repositories').set({ license: 'other' }).where('id', '=', repo.id).execute();
  const context = w.jobContext().scope;
  await measureBranch(context, repo.id);
  expect(await key()).toBe('other');
  await measureBranch(context, repo.id, { again: true });
  expect(await key()).toBe('mit');
});

test('a search for the licence that takes long does not put back what a later one has replaced', async () => {
  const { repo, key } = await setup();
  await commitFiles(w, repo, { LICENSE: text('mit') });
  // Before the first is written, there is another push, and it is looked at.
  const slowly: Change = async (work) => {
    await commitFiles(w, repo, { LICENSE: text('0bsd') });
    await w.settle();
    return w.change(work);
  };
  await measureBranch({ ...w.jobContext().scope, change: slowly }, repo.id);
  expect(await key()).toBe('0bsd');
});

test('a default branch that is removed has no licence and no language', async () => {
  const { repo, client, path, key } = await setup();
  await commitFiles(w, repo, { LICENSE: text('mit'), 'a.rs': 'fn' });
  expect(await key()).toBe('mit');
  await w.db.updateTable('repositories').set({ default_branch: 'gone' }).where('id', '=', repo.id).execute();
  await measureBranch(w.jobContext().scope, repo.id);
  expect((await client.get(path)).body).toMatchObject({ license: null, language: null });
});
