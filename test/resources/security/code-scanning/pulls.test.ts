import { expect, test } from 'vitest';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { codeql, type Problem, packed } from './setting.ts';

const here = await world({ vocabulary: 'github' });
const injection: Problem = { rule: 'js/command-line-injection', path: 'a.txt', line: 2, hash: 'aaaa:1' };
const unused: Problem = { rule: 'js/unused-local-variable', path: 'a.txt', line: 3, hash: 'bbbb:1' };

async function setting() {
  const { client, base, first, commit, open, tested } = await pullSetting(here);
  const head = await commit('topic', { 'a.txt': '1\nexec\n3\n' });
  const number = await open('topic');
  await here.settle();
  const scan = async (ref: string, commit_sha: string, problems: readonly Problem[]) => {
    const wanted = { ref, commit_sha, sarif: packed(codeql(problems)) };
    expect((await client.post(`${base}/code-scanning/sarifs`, wanted)).status).toBe(202);
    await here.settle();
  };
  const checks = async () => (await client.get(`${base}/commits/${head}/check-runs`)).body.check_runs;
  return { client, base, first, head, number, tested, scan, checks };
}

test('what a pull request brings is told by a check with annotations', async () => {
  const { client, base, first, head, number, tested, scan, checks } = await setting();
  await scan('refs/heads/main', first, [unused]);
  const { merge_commit_sha } = await tested(number);
  await scan(`refs/pull/${number}/merge`, String(merge_commit_sha), [unused, injection]);
  const [check, ...more] = await checks();
  expect(more).toEqual([]);
  expect(check).toMatchObject({
    name: 'CodeQL',
    head_sha: head,
    status: 'completed',
    conclusion: 'failure',
    app: { slug: 'hearth-code-scanning' },
    output: { title: '1 new alert including 1 of high severity', annotations_count: 1 },
    pull_requests: [{ number }],
  });
  expect((await client.get(`${base}/check-runs/${check.id}/annotations`)).body).toMatchObject([
    {
      path: 'a.txt',
      start_line: 2,
      start_column: 3,
      end_column: 9,
      annotation_level: 'failure',
      title: 'Uncontrolled command line',
    },
  ]);
  const at = `${base}/code-scanning/alerts`;
  expect((await client.get(`${at}?pr=${number}`)).body).toHaveLength(2);
  // What is only in the pull request isn't in the default branch's list.
  expect((await client.get(at)).body).toMatchObject([{ rule: { id: unused.rule } }]);

  // A dismissal is told by another check, and so is its end.
  await client.patch(`${at}/2`, { state: 'dismissed', dismissed_reason: 'used in tests' });
  await here.settle();
  expect(await checks()).toMatchObject([{ conclusion: 'success', output: { annotations_count: 0 } }]);
  await client.patch(`${at}/2`, { state: 'open' });
  await here.settle();
  expect(await checks()).toMatchObject([{ conclusion: 'failure' }]);
});

test('a pull request without severe alerts passes, also where its base was not analysed', async () => {
  const { head, number, scan, checks } = await setting();
  await scan(`refs/pull/${number}/head`, head, [unused]);
  expect(await checks()).toMatchObject([
    {
      conclusion: 'success',
      output: { title: '1 new alert', summary: expect.stringContaining('refs/heads/main has not been analysed') },
    },
  ]);
  await scan(`refs/pull/${number}/head`, head, []);
  expect(await checks()).toMatchObject([
    { conclusion: 'success', output: { title: 'No new alerts in code changed by this pull request' } },
  ]);
});
