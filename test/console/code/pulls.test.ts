import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { changed, reviewSetting } from '#test/resources/collaboration/reviews/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const attack = '<img src=x onerror="alert(1)">';
const anchorOf = (path: string) => `diff-${createHash('sha256').update(path).digest('hex')}`;

/** A pull request with a conversation on line 5 and one on line 20. */
async function setting() {
  const given = await reviewSetting(w);
  const { asBob, pull, head, owner, repo, number, client, ada } = given;
  const comment = async (line: number, body: string) =>
    (await asBob.post(`${pull}/comments`, { body, commit_id: head, path: 'engine.txt', line, side: 'RIGHT' })).body.id as number;
  const [first, second] = [await comment(5, 'Why **five**? <i onclick="alert(1)">x</i>'), await comment(20, 'Why twenty?')];
  await client.post(`${pull}/comments/${first}/replies`, { body: 'Since it is odd.' });
  await client.patch(pull, { title: `Odd ${attack}` });
  return { ...given, ada, first, second, path: `/${owner.login}/${repo.name}/pull/${number}` };
}

test('the files of a pull request have its conversations at their lines', async () => {
  const { ada, first, second, path, client, base } = await setting();
  const { status, text } = await (await pagesAs(w, ada)).get(`${path}/files`);
  expect(status).toBe(200);
  expect(text).not.toMatch(/<img src=x|<[^>]* onclick/);
  const [line, conversation, next] = [
    text.indexOf(`id="${anchorOf('engine.txt')}R5"`),
    text.indexOf(`id="discussion_r${first}"`),
    text.indexOf(`id="${anchorOf('engine.txt')}R6"`),
  ];
  expect(line).toBeGreaterThan(0);
  expect(conversation).toBeGreaterThan(line);
  expect(next).toBeGreaterThan(conversation);
  expect(text).toContain('<strong>five</strong>');
  expect(text).toContain('Since it is odd.');
  await client.put(`${base}/pulls/comments/${second}/resolution`);
  const resolved = (await (await pagesAs(w, ada)).get(`${path}/files`)).text;
  expect(resolved).toContain('<b>Resolved</b>');
  expect(resolved).not.toContain('<b>Outdated</b>');
});

test('outdated conversations are folded below the name of their file', async () => {
  const { ada, first, path, commit, branch, before } = await setting();
  await commit(branch, { 'engine.txt': changed(before, { 5: 'FIVE', 20: 'twenty\nand more' }) });
  await w.settle();
  const { text } = await (await pagesAs(w, ada)).get(`${path}/files`);
  expect(text).toContain('<b>Outdated</b>');
  expect(text).toContain('On line 5 of an earlier version');
  expect(text.indexOf(`id="discussion_r${first}"`)).toBeLessThan(text.indexOf(`id="${anchorOf('engine.txt')}R5"`));
});

test('pages of a pull request say its state, and are for its readers', async () => {
  const { ada, path, client, pull, owner, repo } = await setting();
  const pages = await pagesAs(w, ada);
  expect((await pages.get(`${path}/commits`)).text).toContain('Open');
  await client.patch(pull, { draft: true });
  expect((await pages.get(`${path}/commits`)).text).toContain('Draft');
  await client.patch(`/repos/${owner.login}/${repo.name}`, { visibility: 'private' });
  const visitor = await pagesAs(w);
  for (const page of ['files', 'commits']) {
    expect((await pages.get(`${path}/${page}`)).status).toBe(200);
    expect((await visitor.get(`${path}/${page}`)).status).toBe(404);
  }
  expect((await visitor.get(`${path}.diff`)).status).toBe(404);
  expect((await pages.get(`${path}.diff`)).text).toContain('+five');
  expect((await pages.get(`${path}.patch`)).text).toContain('Subject: ');
});

test('the statements of its files do not grow with conversations and files', async () => {
  const one = await setting();
  const pages = await pagesAs(w, one.ada);
  const first = await pages.statements(`${one.path}/files`);
  for (let at = 1; at < 8; at++)
    await one.asBob.post(`${one.pull}/comments`, {
      body: `${at}`,
      commit_id: one.head,
      path: 'engine.txt',
      line: at + 1,
      side: 'RIGHT',
    });
  await one.commit(one.branch, Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.txt`, `${at}\n`])));
  await w.settle();
  expect(await pages.statements(`${one.path}/files`)).toBe(first);
  expect(first).toBeLessThanOrEqual(22);
  expect(await pages.statements(`${one.path}/commits`)).toBeLessThanOrEqual(20);
});

test('people read the files in a browser, and nothing is found against accessibility', async () => {
  const { ada, path, commit, branch } = await setting();
  await commit(branch, { 'src/deep/er/x.ts': 'const a = 1;\n', 'yarn.lock': 'x\n' });
  await w.settle();
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    await visit(tab, `${path}/commits`);
    await tab.page.getByRole('link', { name: 'Files', exact: false }).click();
    await tab.page.getByRole('link', { name: 'Split' }).click();
    await tab.page.locator('table.split-diff').first().waitFor();
    await tab.page.getByRole('link', { name: 'of yarn.lock' }).click();
    await tab.page.locator(`[id="${anchorOf('yarn.lock')}R1"]`).waitFor();
    expect(tab.problems).toEqual([]);
  }
  const tab = await openTab(w, ada);
  for (const page of ['commits', 'files', 'files?diff=split']) {
    await visit(tab, `${path}/${page}`);
    await expectAccessible(tab);
  }
});
