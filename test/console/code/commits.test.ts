import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type PullSetting, pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { changed, lines } from '#test/resources/collaboration/reviews/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const attack = '<img src=x onerror="alert(1)">';
const anchorOf = (path: string) => `diff-${createHash('sha256').update(path).digest('hex')}`;
const pathOf = ({ owner, repo }: PullSetting) => `/${owner.login}/${repo.name}`;

/** A private repository with a commit that changes a file of sixty lines. */
async function setting() {
  const given = await pullSetting(w, { visibility: 'private' });
  const before = await given.commit('main', { 'src/engine.txt': lines(60), 'old.txt': 'gone\n' });
  const after = changed(lines(60), { 30: 'line thirty' });
  const sha = await given.commit(
    'main',
    { 'src/engine.txt': after, 'old.txt': null, [`${attack}.txt`]: `${attack}\n` },
    `${attack} subject\n\nWhy: ${attack}`,
  );
  return { ...given, before, sha, path: pathOf(given) };
}

test('a commit is shown to who may read it, with its diff and comments', async () => {
  const { ada, client, base, path, sha, before } = await setting();
  const [bob, eve] = [await w.user(), await w.user()];
  await client.put(`${base}/collaborators/${bob.login}`, { permission: 'pull' });
  const comment = await client.post(`${base}/commits/${sha}/comments`, {
    body: 'Why **thirty**?',
    path: 'src/engine.txt',
    position: 5,
  });
  await client.post(`${base}/commits/${sha}/comments`, { body: `A word ${attack}` });
  const { status, text } = await (await pagesAs(w, ada)).get(`${path}/commit/${sha}`);
  expect(status).toBe(200);
  expect(text).not.toContain('<img src=x');
  expect(text).toContain('&lt;img src=x');
  expect(text).toContain(`<td class="n" id="${anchorOf('src/engine.txt')}R30">`);
  expect(text).toContain('line <mark>thirty</mark>');
  expect(text).toContain(`${path}/commit/${before}`);
  expect(text).toContain('<strong>thirty</strong>');
  expect(text).toContain(new URL(comment.body.html_url).hash.slice(1));
  for (const [who, expected] of [
    [ada, 200],
    [eve, 404],
    [undefined, 404],
  ] as const) {
    const pages = await pagesAs(w, who);
    for (const page of [`/commit/${sha}`, `/commit/${sha}.diff`, `/commit/${sha}.patch`])
      expect((await pages.get(path + page)).status, page).toBe(expected);
    expect((await pages.get(`${path}/commit/${'0'.repeat(40)}`)).status).toBe(404);
    expect((await pages.get(`${path}/commit/${'0'.repeat(40)}.diff`)).status).not.toBe(200);
  }
});

test('texts are plain texts that no browser runs', async () => {
  const { ada, path, sha, before } = await setting();
  const pages = await pagesAs(w, ada);
  const diff = await pages.get(`${path}/commit/${sha}.diff`);
  expect(diff.text).toContain('+line thirty');
  expect(diff.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(diff.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(diff.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await pages.get(`${path}/commit/${sha}.patch`)).text).toMatch(/^From [0-9a-f]{40} /);
  expect((await pages.get(`${path}/compare/${before}...main.diff`)).text).toContain('+line thirty');
  expect((await pages.get(`${path}/compare/${before}...main.patch`)).text).toContain('Subject: ');
});

test('unchanged lines are added at the wish of the reader, and one file is shown alone', async () => {
  const { ada, path, sha } = await setting();
  const pages = await pagesAs(w, ada);
  const id = anchorOf('src/engine.txt');
  const { text } = await pages.get(`${path}/commit/${sha}?file=src/engine.txt`);
  expect(text).not.toContain(`id="${id}R10"`);
  expect(text).not.toContain(anchorOf('old.txt'));
  const [, link = ''] = /href="([^"]+)" data-diff="file" aria-label="Show lines 7 to 26/.exec(text) ?? [];
  const wider = (await pages.get(link.replaceAll('&amp;', '&'))).text;
  expect(wider).toContain(`id="${id}R10"`);
  expect(wider).not.toContain(`id="${id}R6"`);
  const whole = (await pages.get(`${path}/commit/${sha}?file=src/engine.txt&expand=1-60`)).text;
  expect([...whole.matchAll(/<td class="n[^"]*" id="diff-[0-9a-f]+R\d+">/g)].length).toBe(60);
  expect(whole).not.toContain('class="hunk"');
  expect((await pages.get(`${path}/commit/${sha}?file=absent`)).status).toBe(404);
});

test('white space is hidden, and sides are beside each other', async () => {
  const given = await pullSetting(w);
  await given.commit('main', { 'a.txt': 'one\n  two\n', 'b.txt': 'x\n' });
  const sha = await given.commit('main', { 'a.txt': 'one\n    two\n', 'b.txt': 'y\n' });
  const pages = await pagesAs(w);
  const path = `${pathOf(given)}/commit/${sha}`;
  expect((await pages.get(path)).text).toContain('>    two<');
  const { text } = await pages.get(`${path}?w=1&diff=split`);
  expect(text).toContain('Only white space differs.');
  expect(text).toContain('split-diff');
  expect(text).toMatch(/<td class="code del">.*x.*<td class="code add">.*y/s);
});

test('renames, modes, binary files, submodules and images say what they are', async () => {
  const given = await pullSetting(w);
  await given.commit('main', { 'name.txt': lines(20), 'bin.dat': 'a\0b', 'x.png': 'a\0', 'package-lock.json': '{}\n' });
  const sha = await given.commit('main', {
    'name.txt': null,
    'renamed.txt': lines(20),
    'bin.dat': 'a\0c',
    'x.png': 'b\0',
    'package-lock.json': '{"a":1}\n',
    'large.txt': lines(500),
    'empty.txt': '',
  });
  const { text } = await (await pagesAs(w)).get(`${pathOf(given)}/commit/${sha}`);
  expect(text).toContain('name.txt → renamed.txt');
  expect(text).toContain('The content is the same.');
  expect(text).toContain('Binary files are not shown.');
  expect(text).toContain(`/raw/${sha}/x.png`);
  expect(text).toContain('This file is generated.');
  expect(text).toContain('This file has many changes.');
  expect(text).toContain('The file is empty.');
});

test('comparisons show commits and changes, across forks too, and say where nothing is common', async () => {
  const { ada, commit, path, client, base } = await setting();
  await commit('feature', { 'new.txt': 'new\n' }, 'Add a file');
  const pages = await pagesAs(w, ada);
  const { text, status } = await pages.get(`${path}/compare/main...feature`);
  expect(status).toBe(200);
  expect(text).toContain('Add a file');
  expect(text).toContain(anchorOf('new.txt'));
  expect((await pages.get(`${path}/compare/feature`)).text).toContain('Add a file');
  expect((await pages.get(`${path}/compare/main...${ada.login}:feature`)).text).toContain('Add a file');
  expect((await pages.get(`${path}/compare/main...main`)).text).toContain('main has no commits that main lacks');
  expect((await pages.get(`${path}/compare/main...absent`)).status).toBe(404);
  const { headers } = await pages.get(`${path}/compare?base=main&head=feature`);
  expect(headers.get('location')).toBe(`${path}/compare/main...feature`);
  const tree = await client.post(`${base}/git/trees`, { tree: [{ path: 'x', mode: '100644', type: 'blob', content: 'x' }] });
  const orphan = await client.post(`${base}/git/commits`, { message: 'Other', tree: tree.body.sha, parents: [] });
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/orphan', sha: orphan.body.sha });
  expect((await pages.get(`${path}/compare/main...orphan`)).text).toContain('These histories have no commit in common');
  expect((await (await pagesAs(w)).get(`${path}/compare/main...feature`)).status).toBe(404);
});

test('the statements of a commit do not grow with its files and comments', async () => {
  const { ada, client, base, path, commit } = await setting();
  const one = await commit('main', { 'f.txt': 'x\n' });
  const many = await commit('main', Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.txt`, `${at}\n`])));
  for (let at = 0; at < 3; at++)
    await client.post(`${base}/commits/${many}/comments`, { body: `Text ${at}`, path: `f${at}.txt`, position: 1 });
  await client.post(`${base}/commits/${one}/comments`, { body: 'Text', path: 'f.txt', position: 1 });
  const pages = await pagesAs(w, ada);
  const counts = [await pages.statements(`${path}/commit/${one}`), await pages.statements(`${path}/commit/${many}`)];
  expect(counts[1]).toBe(counts[0]);
  expect(counts[0]).toBeLessThanOrEqual(16);
});

test('people read a commit in a browser, open files within the page, and nothing is found against accessibility', async () => {
  const given = await setting();
  const sha = await given.commit('main', { 'big.txt': lines(2_000), 'small.txt': 'x\n' }, `Big ${attack}`);
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, given.ada, { javaScriptEnabled });
    await visit(tab, `${given.path}/commit/${sha}`);
    await tab.page.getByRole('link', { name: 'Show 2,000 changed lines of big.txt' }).click();
    await tab.page.locator(`[id="${anchorOf('big.txt')}R1000"]`).waitFor();
    await tab.page.getByRole('link', { name: 'Show more lines of big.txt' }).click();
    await tab.page.locator(`[id="${anchorOf('big.txt')}R2000"]`).waitFor();
    expect(await tab.page.locator(`[id="${anchorOf('big.txt')}R1"]`).count()).toBe(javaScriptEnabled ? 1 : 0);
    expect(tab.problems).toEqual([]);
  }
  const tab = await openTab(w, given.ada);
  for (const page of [`commit/${given.sha}`, `commit/${given.sha}?diff=split`, 'compare', `compare/${given.before}...main`]) {
    await visit(tab, `${given.path}/${page}`);
    await expectAccessible(tab);
  }
  await tab.page.setViewportSize({ width: 320, height: 700 });
  expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
});
