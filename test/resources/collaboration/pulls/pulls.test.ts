import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { pullSetting } from './setting.ts';

const w = await world();

test('a pull request is opened, tested and merged', async () => {
  const { client, base, commit, open, tested, first, tip } = await pullSetting(w);
  const head = await commit('topic', { 'b.txt': 'new\n' });
  const number = await open('topic', { body: 'Please.' });
  expect(number).toBe(1);
  expect(await tested(number)).toMatchObject({
    number,
    state: 'open',
    title: 'Merge topic',
    body: 'Please.',
    head: { ref: 'topic', sha: head },
    base: { ref: 'main', sha: first },
    mergeable: true,
    rebaseable: true,
    mergeable_state: 'clean',
    merged: false,
    commits: 1,
    additions: 1,
    deletions: 0,
    changed_files: 1,
  });
  expect((await client.get(`${base}/pulls/1/commits`)).body).toMatchObject([{ sha: head }]);
  expect((await client.get(`${base}/pulls/1/files`)).body).toMatchObject([{ filename: 'b.txt', status: 'added' }]);
  expect((await client.get(`${base}/issues/1`)).body).toMatchObject({
    number: 1,
    draft: false,
    pull_request: { merged_at: null },
  });
  expect((await client.get(`${base}/pulls/1/merge`)).status).toBe(404);
  const { status, body } = await client.put(`${base}/pulls/1/merge`, {});
  expect({ status, body }).toMatchObject({ status: 200, body: { merged: true } });
  expect(await tip('main')).toBe(body.sha);
  expect((await client.get(`${base}/pulls/1/merge`)).status).toBe(204);
  expect((await client.get(`${base}/pulls/1`)).body).toMatchObject({ state: 'closed', merged: true, merge_commit_sha: body.sha });
  const { body: merged } = await client.get(`${base}/commits/${body.sha}`);
  expect(merged.parents.map(({ sha }: { sha: string }) => sha)).toEqual([first, head]);
  await w.settle();
  expect((await client.get(`${base}/issues/1/events`)).body.map(({ event }: { event: string }) => event)).toEqual([
    'merged',
    'closed',
    'referenced',
  ]);
  expect((await client.get(base)).body.open_issues_count).toBe(0);
});
