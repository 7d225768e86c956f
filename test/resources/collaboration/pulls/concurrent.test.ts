import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { diskOf } from '#test/resources/code/commits/setting.ts';
import { unfinished } from '#test/resources/code/pushes/support.ts';
import { world } from '#test/support/world.ts';
import { reviewed } from '../reviews/merge-setting.ts';
import { pullSetting } from './setting.ts';

const w = await world();
/** How many pull requests are merged; a longer run is `HEARTH_TEST_PULLS=2000`, with 50 clients. */
const total = Number(process.env.HEARTH_TEST_PULLS ?? 20);
const clients = Math.min(50, Math.ceil(total / 4));

test('pull requests that are opened, reviewed and merged at the same time add up', { timeout: 3_600_000 }, async () => {
  const { client, base, commit, repo } = await pullSetting(w);
  const bob = await w.user();
  await w.collaborator(repo, bob, 'write');
  const reviewer = await w.as(bob);
  for (let number = 0; number < total; number++) await commit(`topic-${number}`, { [`file-${number}.txt`]: `${number}\n` });
  await w.settle();
  const ruleset = {
    name: 'Reviewed',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'pull_request', parameters: { ...reviewed, required_approving_review_count: 1 } }],
  };
  expect((await client.post(`${base}/rulesets`, ruleset)).status).toBe(201);
  const waiting = Array.from({ length: total }, (_, number) => number);
  const merged: string[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const opened = await client.post(`${base}/pulls`, { title: `Merge ${next}`, head: `topic-${next}`, base: 'main' });
      expect(opened.status).toBe(201);
      const { number } = opened.body;
      const method = (['merge', 'squash', 'rebase'] as const)[next % 3];
      expect((await client.put(`${base}/pulls/${number}/merge`, { merge_method: method })).status).toBe(405);
      expect((await reviewer.post(`${base}/pulls/${number}/reviews`, { event: 'APPROVE' })).status).toBe(200);
      // Two requests for the same merge: one of them does it.
      const merges = await Promise.all([1, 2].map(() => client.put(`${base}/pulls/${number}/merge`, { merge_method: method })));
      expect(merges.map(({ status }) => status).sort()).toEqual([200, 405]);
      merged.push(...merges.flatMap(({ status, body }) => (status === 200 ? [body.sha] : [])));
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  await w.settle();
  const { rows } = await listAll();
  expect(rows.map(({ number }) => number).sort((a, b) => a - b)).toEqual(Array.from({ length: total }, (_, at) => at + 1));
  expect(rows.every(({ merged_at }) => merged_at !== null)).toBe(true);
  expect(new Set(merged).size).toBe(total);
  expect((await client.get(base)).body.open_issues_count).toBe(0);
  const files = (await client.get(`${base}/git/trees/main`)).body.tree.filter(({ path }: { path: string }) =>
    path.startsWith('file-'),
  );
  expect(files.length).toBe(total);
  const events = await w.db
    .selectFrom('issue_events')
    .select(({ fn }) => ['event', fn.countAll<number>().as('count')])
    .where('repository_id', '=', repo.id)
    .where('event', 'in', ['merged', 'closed'])
    .groupBy('event')
    .orderBy('event')
    .execute();
  expect(events).toEqual([
    { event: 'closed', count: total },
    { event: 'merged', count: total },
  ]);
  const suites = await w.db
    .selectFrom('rule_suites')
    .select(({ fn }) => ['result', fn.countAll<number>().as('count')])
    .where('repository_id', '=', repo.id)
    .groupBy('result')
    .orderBy('result')
    .execute();
  expect(suites).toEqual([
    { result: 'fail', count: total },
    { result: 'pass', count: total },
  ]);
  expect(await unfinished(w, repo)).toEqual([]);
  const { path } = diskOf(w, repo);
  const git = async (...args: string[]) => (await promisify(execFile)('git', ['-C', path, ...args])).stdout;
  expect(
    (await git('for-each-ref', '--format=%(refname)', 'refs/pull')).split('\n').filter((name) => name.endsWith('/head')).length,
  ).toBe(total);
  await git('fsck', '--strict');

  async function listAll() {
    const found: { number: number; merged_at: string | null }[] = [];
    for (let page = 1; found.length < total; page++) {
      const { body } = await client.get(`${base}/pulls?state=all&sort=created&direction=asc&per_page=100&page=${page}`);
      if (body.length === 0) break;
      found.push(...body);
    }
    return { rows: found };
  }
});
