// What pages cost: statements that don't grow with the rows shown, and the bytes that browsers load.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { allPages } from '#console/all.ts';
import { findAsset, scriptAddress, styleAddress } from '#html/assets.ts';
import { pageRouterOf } from '#server/console/pages-router.ts';
import { openTab, visit } from '#test/support/browser.ts';
import type { Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const find = pageRouterOf(allPages);

/** A page, what adds a row to it, and what it may cost. */
type Budget = {
  readonly path: string;
  readonly statements: number;
  /** Compressed, with all rows. */
  readonly bytes: number;
  add?(client: Client, index: number): Promise<unknown>;
};

const ada = await w.user();
const repo = await w.repo(ada, { name: 'measured' });
const pull = { head: 'topic', base: repo.default_branch };
const at = `/${ada.login}/${repo.name}`;
const api = `/repos${at}`;
const tip = await commitFiles(w, repo, { 'README.md': '# Measured', 'start.txt': 'a' });

const budgets: readonly Budget[] = [
  { path: at, statements: 10, bytes: 20_000 },
  {
    path: `${at}/issues/1`,
    statements: 12,
    bytes: 60_000,
    add: (client, index) => client.post(`${api}/issues/1/comments`, { body: `Comment ${index} about #1 by @${ada.login}` }),
  },
  {
    path: `${at}/labels`,
    statements: 8,
    bytes: 20_000,
    add: (client, index) =>
      client.post(`${api}/labels`, { name: `label ${index}`, description: 'What it means', color: 'aa3300' }),
  },
  {
    path: `${at}/issues`,
    statements: 14,
    bytes: 40_000,
    add: (client, index) => client.post(`${api}/issues`, { title: `Issue ${index}`, labels: ['bug'] }),
  },
  {
    path: `${at}/milestones`,
    statements: 12,
    bytes: 40_000,
    add: (client, index) => client.post(`${api}/milestones`, { title: `Milestone ${index}` }),
  },
  {
    path: `${at}/branches`,
    statements: 14,
    bytes: 40_000,
    add: (client, index) => client.post(`${api}/git/refs`, { ref: `refs/heads/branch-${index}`, sha: tip }),
  },
  {
    path: `${at}/tags`,
    statements: 14,
    bytes: 40_000,
    add: (client, index) => client.post(`${api}/git/refs`, { ref: `refs/tags/tag-${index}`, sha: tip }),
  },
  {
    path: `${at}/releases`,
    statements: 14,
    bytes: 40_000,
    add: (client, index) => client.post(`${api}/releases`, { tag_name: `v${index}`, body: 'Notes', target_commitish: tip }),
  },
  { path: `${at}/tree/main`, statements: 14, bytes: 40_000 },
  { path: `${at}/blob/main/README.md`, statements: 14, bytes: 40_000 },
  { path: `${at}/commits/main`, statements: 14, bytes: 40_000 },
  { path: `${at}/commit/${tip}`, statements: 16, bytes: 40_000 },
  { path: `${at}/pulls`, statements: 16, bytes: 40_000 },
  { path: `${at}/pull/2`, statements: 24, bytes: 60_000 },
  { path: `${at}/pull/2/files`, statements: 16, bytes: 60_000 },
  { path: `${at}/actions`, statements: 16, bytes: 40_000 },
  { path: `/${ada.login}`, statements: 14, bytes: 40_000 },
  {
    path: '/',
    // Its searches take several each, however much they find.
    statements: 36,
    bytes: 40_000,
    add: async (_client, index) => commitFiles(w, await w.repo(ada, { name: `more-${index}` }), { 'a.txt': 'a' }),
  },
];

const client = await w.as(ada);
await client.post(`${api}/issues`, { title: 'Measured', body: 'See README.' });
await client.post(`${api}/git/refs`, { ref: `refs/heads/${pull.head}`, sha: tip });
await client.put(`${api}/contents/new.txt`, { message: 'Add', content: 'YQ==', branch: pull.head });
expect((await client.post(`${api}/pulls`, { title: 'Add', ...pull })).status).toBe(201);
await w.settle();

/** Lists show thirty rows a page; a conversation shows a hundred. */
const rows = (path: string): number => (/\/issues\/1$/.test(path) ? 100 : 31);

const built = budgets.filter(({ path }) => find(path) !== undefined);

test.each(built)('$path keeps its budget', async ({ path, statements, bytes, add }) => {
  const pages = await pagesAs(w, ada);
  await add?.(client, 0);
  await w.settle();
  const few = await pages.statements(path);
  const count = add ? rows(path) : 0;
  for (let index = 1; index < count; index++) await add?.(client, index);
  await w.settle();
  const many = await pages.statements(path);
  const { text } = await pages.get(path);
  expect(many, 'statements for many rows, beside those for one').toBeLessThanOrEqual(few);
  expect(many, 'statements').toBeLessThanOrEqual(statements);
  expect(gzipSync(text).length, 'bytes').toBeLessThanOrEqual(bytes);
});

test('nothing moves while a page loads', async () => {
  const tab = await openTab(w, ada);
  for (const { path } of built) {
    await visit(tab, path);
    expect(await tab.page.evaluate(layoutShift), path).toBe(0);
  }
});

/** Runs in the browser. How far elements have moved by themselves, since the page began to load. */
function layoutShift(): Promise<number> {
  return new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift' as 'measure', buffered: true });
    setTimeout(() => resolve(sum), 100);
  });
}

test('styles and scripts stay small', () => {
  const size = (address: string): number => findAsset(address.slice('/_assets/'.length))?.bytes.length ?? Number.NaN;
  expect(size(styleAddress())).toBeLessThanOrEqual(40_000);
  expect(size(scriptAddress())).toBeLessThanOrEqual(30_000);
});
