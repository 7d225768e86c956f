import { expect, test } from 'vitest';
import { setting, uploadTo } from '#test/resources/collaboration/releases/support.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const attack = '<img src=x onerror=alert(1)>';

test('releases have their notes, and their files with sizes, downloads and digests', async () => {
  const { owner, repo, client, path } = await setting(w);
  const { body: made } = await client.post(path, { tag_name: 'v1/first', name: `First ${attack}`, body: `**Bold** ${attack}` });
  const asset = await uploadTo(w, owner, `${path}/${made.id}/assets?name=engine.txt`, 'x'.repeat(12_345));
  expect(asset.status).toBe(201);
  const pages = await pagesAs(w);
  const base = `/${owner.login}/${repo.name}/releases`;
  for (const address of [base, `${base}/tag/v1/first`]) {
    const { status, text } = await pages.get(address);
    expect(status).toBe(200);
    expect(text).toContain('First &lt;img src=x onerror=alert(1)&gt;');
    expect(text).toContain('<strong>Bold</strong>');
    expect(text).not.toContain('onerror=alert(1)>');
    expect(text).toContain('12.3 kB');
    expect(text).toContain('0 downloads');
    expect(text).toContain(asset.body.digest);
    expect(text).toContain(asset.body.browser_download_url);
  }
  const archive = /href="([^"]*\.zip)"/.exec((await pages.get(base)).text)?.[1] ?? '';
  expect(archive).toBe(`/${owner.login}/${repo.name}/archive/refs/tags/v1/first.zip`);
  expect((await fetch(`${w.url}${archive}`)).status).toBe(200);
  for (const [from, to] of [
    [`${base}/latest`, `${base}/tag/v1/first`],
    [`${base}/${made.id}`, `${base}/tag/v1/first`],
  ] as const)
    expect((await pages.get(from)).headers.get('location')).toBe(to);
});

test('drafts are shown to those who may write, at the address that replies have', async () => {
  const { owner, repo, client, path } = await setting(w);
  const { body: draft } = await client.post(path, { tag_name: 'v2', name: 'Secret plan', draft: true });
  const address = new URL(draft.html_url).pathname;
  expect((await (await pagesAs(w, owner)).get(address)).text).toContain('Secret plan');
  for (const who of [undefined, await w.user()]) {
    const pages = await pagesAs(w, who);
    expect((await pages.get(address)).status).toBe(404);
    expect((await pages.get(`/${owner.login}/${repo.name}/releases`)).text).toContain('Releases will be listed here');
    expect((await pages.get(`/${owner.login}/${repo.name}/releases/latest`)).status).toBe(404);
  }
});

test('releases of private repositories are hidden', async () => {
  const { owner, repo, client, path } = await setting(w, 'private');
  await client.post(path, { tag_name: 'v1' });
  const pages = await pagesAs(w, await w.user());
  for (const rest of ['releases', 'releases/tag/v1', 'releases/latest', 'stargazers', 'forks', 'graphs/contributors', 'security'])
    expect((await pages.get(`/${owner.login}/${repo.name}/${rest}`)).status).toBe(404);
});

test('ten releases take as many statements as one', async () => {
  const { owner, repo, client, path } = await setting(w);
  const pages = await pagesAs(w, owner);
  const address = `/${owner.login}/${repo.name}/releases`;
  await client.post(path, { tag_name: 'v0', body: 'Notes' });
  const one = await pages.statements(address);
  for (let at = 1; at < 10; at++) await client.post(path, { tag_name: `v${at}`, body: 'Notes' });
  expect(await pages.statements(address)).toBe(one);
  expect(one).toBeLessThanOrEqual(10);
});

test('people look at releases in a browser, with and without scripts', async () => {
  const { owner, repo, client, path } = await setting(w);
  const { body: made } = await client.post(path, { tag_name: 'v1', name: 'First' });
  await uploadTo(w, owner, `${path}/${made.id}/assets?name=engine.txt`, 'x');
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, owner, { javaScriptEnabled });
    await visit(tab, `/${owner.login}/${repo.name}/releases`);
    await tab.page.getByRole('link', { name: 'First' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    expect(tab.problems).toEqual([]);
    if (javaScriptEnabled) await expectAccessible(tab);
  }
});
