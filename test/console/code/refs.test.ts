import { expect, test } from 'vitest';
import { countAheadBehind } from '#git/history/ahead-behind.ts';
import { compareCommits } from '#git/history/compare.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { pullSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const attack = '<img src=x onerror="alert(1)">';

/** A private repository with branches of several lengths, pull requests, tags and a release. */
async function setting() {
  const given = await pullSetting(w, { visibility: 'private' });
  const { commit, open, client, base, first } = given;
  await commit('feature', { 'f.txt': '1\n' }, `${attack} one`);
  await commit('feature', { 'f.txt': '2\n' }, 'Two');
  await commit('main', { 'm.txt': '1\n' }, 'Main moves');
  await commit('other/deep', { 'o.txt': '1\n' });
  const number = await open('feature', { title: `Feature ${attack}` });
  const tag = await client.post(`${base}/git/tags`, {
    tag: 'v1',
    message: `First ${attack}\n\nMore`,
    object: first,
    type: 'commit',
  });
  await client.post(`${base}/git/refs`, { ref: 'refs/tags/v1', sha: tag.body.sha });
  await client.post(`${base}/git/refs`, { ref: 'refs/tags/plain', sha: first });
  await client.post(`${base}/releases`, { tag_name: 'v1', name: `Release ${attack}` });
  return { ...given, number, path: `/${given.owner.login}/${given.repo.name}` };
}

test('branches say how far they are from the default branch, and which pull request they have', async () => {
  const { ada, path, number } = await setting();
  const pages = await pagesAs(w, ada);
  const { status, text } = await pages.get(`${path}/branches`);
  expect(status).toBe(200);
  expect(text).not.toContain('<img src=x');
  const row = text.split('<tr>').find((part) => part.includes(`${path}/tree/feature"`)) ?? '';
  expect(row).toContain('<span>1<span class="unseen"> behind</span>');
  expect(row).toContain('<span>2<span class="unseen"> ahead</span>');
  expect(row).toContain(`${path}/pull/${number}`);
  expect(text).toContain(`${path}/tree/other/deep`);
  const filtered = (await pages.get(`${path}/branches?q=DEEP`)).text;
  expect([filtered.includes('tree/other/deep'), filtered.includes('tree/feature')]).toEqual([true, false]);
  expect((await pages.get(`${path}/branches?q=absent`)).text).toContain('No branch has such a name');
  const [eve, visitor] = [await pagesAs(w, await w.user()), await pagesAs(w)];
  for (const list of ['branches', 'tags'])
    expect([(await eve.get(`${path}/${list}`)).status, (await visitor.get(`${path}/${list}`)).status]).toEqual([404, 404]);
});

test('tags have their messages, releases and downloads', async () => {
  const { ada, path, first } = await setting();
  const pages = await pagesAs(w, ada);
  const { text } = await pages.get(`${path}/tags`);
  expect(text).not.toContain('<img src=x');
  expect(text).toContain('First &lt;img');
  expect(text).toContain(`${path}/releases/tag/v1`);
  expect(text).not.toContain(`${path}/releases/tag/plain`);
  expect(text).toContain(`${path}/commit/${first}`);
  for (const name of ['v1.zip', 'plain.tar.gz']) {
    expect(text).toContain(`${path}/archive/refs/tags/${name}`);
    const { status, headers } = await pages.get(`${path}/archive/refs/tags/${name}`);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=.+\.(zip|tar\.gz)$/);
    expect((await (await pagesAs(w)).get(`${path}/archive/refs/tags/${name}`)).status).toBe(404);
  }
});

test('an empty repository says what to do', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const pages = await pagesAs(w);
  expect((await pages.get(`/${ada.login}/${repo.name}/branches`)).text).toContain('There are no branches yet');
  expect((await pages.get(`/${ada.login}/${repo.name}/tags`)).text).toContain('There are no tags yet');
});

test('the distances of many branches are those of each, by one git process', async () => {
  const { repo, ada, first } = await pullSetting(w);
  const gitRepository = diskOf(w, repo);
  const add = (parents: string[]) => addCommit(gitRepository, { files: { [`${Math.random()}`]: 'x' }, parents });
  const tips = [first];
  // A history with forks and merges, the same each time but for the names of its files.
  for (let at = 0; at < 24; at++) {
    const parents = [tips[(at * 7) % tips.length], tips[(at * 3) % tips.length]].filter((one) => one !== undefined);
    tips.push(await add([...new Set(at % 3 === 0 ? parents : parents.slice(0, 1))]));
  }
  const base = tips[20] ?? first;
  const heads = tips.filter((_, at) => at % 2 === 0);
  await push(w, ada, repo, 'kept', base);
  const expected = await Promise.all(
    heads.map(async (head) => {
      const { ahead, behind } = await compareCommits(gitRepository, { base, head });
      return { ahead, behind };
    }),
  );
  expect(await countAheadBehind(gitRepository, base, heads)).toEqual(expected);
  expect(await countAheadBehind(gitRepository, base, [base])).toEqual([{ ahead: 0, behind: 0 }]);
});

test('statements and git processes do not grow with branches and tags', async () => {
  const { ada, path, client, base, first, commit } = await setting();
  const pages = await pagesAs(w, ada);
  const before = [await pages.statements(`${path}/branches`), await pages.statements(`${path}/tags`)];
  for (let at = 0; at < 12; at++) {
    await commit(`topic-${at}`, { 't.txt': `${at}\n` });
    await client.post(`${base}/git/refs`, { ref: `refs/tags/t${at}`, sha: first });
  }
  expect([await pages.statements(`${path}/branches`), await pages.statements(`${path}/tags`)]).toEqual(before);
  expect(Math.max(...before)).toBeLessThanOrEqual(12);
});

test('people go from branches to tags, and nothing is found against accessibility', async () => {
  const { ada, path } = await setting();
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    await visit(tab, `${path}/branches`);
    await tab.page.getByLabel('Part of the name').fill('feat');
    await tab.page.getByRole('button', { name: 'Filter' }).click();
    await tab.page.getByRole('link', { name: 'feature' }).first().waitFor();
    await tab.page.getByRole('link', { name: 'Tags' }).click();
    await tab.page.getByRole('link', { name: 'plain', exact: true }).waitFor();
    expect(tab.problems).toEqual([]);
  }
  const tab = await openTab(w, ada);
  for (const list of ['branches', 'tags']) {
    await visit(tab, `${path}/${list}`);
    await expectAccessible(tab);
    await tab.page.setViewportSize({ width: 320, height: 700 });
    expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  }
});
