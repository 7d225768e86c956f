import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { forkSetting, pullSetting } from './setting.ts';

const w = await world();

test('lists of pull requests, their commits and files cost the same for one as for many', async () => {
  const { ada, client, base, commit, open, tested } = await pullSetting(w);
  const several = { 'b0.txt': 'b' };
  await commit('topic-0', several);
  await open('topic-0');
  await tested(1);
  const paths = [`${base}/pulls`, `${base}/pulls/1/commits`, `${base}/pulls/1/files`, `${base}/issues/1/timeline`];
  const count = async () => {
    const counts: number[] = [];
    for (const path of paths) {
      await w.statements(ada, path);
      counts.push(await w.statements(ada, path));
    }
    return counts;
  };
  const forOne = await count();
  for (let at = 1; at < 8; at++) {
    await commit(`topic-${at}`, { [`c${at}.txt`]: 'c' });
    await open(`topic-${at}`);
    await commit('topic-0', { [`b${at}.txt`]: 'b' });
  }
  await w.settle();
  expect((await client.get(`${base}/pulls/1/files`)).body.length).toBe(8);
  expect((await client.get(`${base}/pulls/1/commits`)).body.length).toBe(8);
  expect(await count()).toEqual(forOne);
  expect(forOne).toEqual([6, 3, 1, 2]);
  await w.statements(ada, `${base}/pulls/1`);
  expect(await w.statements(ada, `${base}/pulls/1`)).toBe(9);
});

test('opening a pull request starts few git processes, where histories are straight up to where they meet', async () => {
  const at = await pullSetting(w);
  await at.commit('topic', { 'b.txt': 'b\n' });
  await at.commit('topic', { 'b.txt': 'c\n' });
  await at.commit('later', { 'c.txt': 'c\n' });
  await at.commit('main', { 'm.txt': 'm\n' });
  const fork = await forkSetting(w, at, await w.user());
  await fork.commit('fix');
  await w.settle();
  const started = (head: string, who = at.ada) => w.gitProcesses(who, `${at.base}/pulls`, { title: 'Merge', head, base: 'main' });
  expect(await started('topic')).toEqual(['diff-tree', 'update-ref']);
  expect(await started('later')).toEqual(['diff-tree', 'update-ref']);
  expect(await started(`${fork.user.login}:fix`, fork.user)).toEqual([
    'cat-file',
    'diff-tree',
    'for-each-ref',
    'pack-objects',
    'index-pack',
    'update-ref',
  ]);
  const { body } = await at.client.get(`${at.base}/pulls`);
  expect(body.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1]);
  const commits = (await at.client.get(`${at.base}/pulls/1`)).body;
  expect(commits).toMatchObject({ commits: 2, changed_files: 1, additions: 1, deletions: 0 });
});

test('a page of files starts as many git processes whatever page it is', async () => {
  const { ada, client, base, commit, open } = await pullSetting(w);
  const files = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`dir/${String(at).padStart(2, '0')}.txt`, `${at}\n`]));
  await commit('topic', { ...files, 'a.txt': null, 'moved.txt': '1\n2\n3\n' });
  const number = await open('topic');
  const path = `${base}/pulls/${number}/files?per_page=10`;
  await client.get(path);
  for (const page of [1, 2, 3]) expect(await w.gitProcesses(ada, `${path}&page=${page}`)).toEqual(['diff-tree']);
  const pages = await Promise.all([1, 2, 3].map(async (page) => (await client.get(`${path}&page=${page}`)).body));
  const all = pages.flat();
  expect(all.length).toBe(26);
  expect(all.every(({ patch, status }) => (status === 'renamed' ? patch === undefined : patch.startsWith('@@')))).toBe(true);
  expect(all.find(({ filename }) => filename === 'moved.txt')).toMatchObject({ status: 'renamed', previous_filename: 'a.txt' });
});
