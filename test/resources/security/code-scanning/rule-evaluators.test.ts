import { expect, test } from 'vitest';
import { problemOf } from '#resources/security/code-scanning/rule-evaluators.ts';
import type { NewAlertCount } from '#resources/security/code-scanning/rule-store.ts';
import { explainPush } from '#server/explain-push.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { codeql, type Problem, packed } from './setting.ts';

const here = await world({ vocabulary: 'github' });
/** Critical. */
const injection: Problem = { rule: 'js/command-line-injection', path: 'a.txt', line: 2, hash: 'aaaa:1' };
/** A note. */
const unused: Problem = { rule: 'js/unused-local-variable', path: 'a.txt', line: 3, hash: 'bbbb:1' };

const strict = { tool: 'CodeQL', alerts_threshold: 'errors', security_alerts_threshold: 'high_or_higher' } as const;
const expected = 'Code scanning results of CodeQL are expected.';
const critical = 'CodeQL has found new alerts: 1 critical.';

/** A repository whose default branch, or branches of these patterns, have the rule; `topic` is one commit ahead. */
async function setting(tools: readonly object[] = [strict], include = ['~DEFAULT_BRANCH']) {
  const given = await pullSetting(here);
  const { client, base, commit } = given;
  const head = await commit('topic', { 'a.txt': '1\nexec\n3\n' });
  const made = await client.post(`${base}/rulesets`, {
    name: 'Scanned',
    enforcement: 'active',
    conditions: { ref_name: { include, exclude: [] } },
    rules: [{ type: 'code_scanning', parameters: { code_scanning_tools: tools } }],
  });
  expect(made.status).toBe(201);
  const send = async (ref: string, commit_sha: string, problems: readonly Problem[], category?: string) => {
    const wanted = { ref, commit_sha, sarif: packed(codeql(problems, category)) };
    expect((await client.post(`${base}/code-scanning/sarifs`, wanted)).status).toBe(202);
  };
  return {
    ...given,
    head,
    send,
    async scan(...args: Parameters<typeof send>) {
      await send(...args);
      await here.settle();
    },
    /** Moves main; why that is refused, or undefined. */
    async move(sha = head): Promise<string | undefined> {
      const { status, body } = await client.patch(`${base}/git/refs/heads/main`, { sha });
      if (status === 200) return undefined;
      expect(status).toBe(422);
      return body.message;
    },
    async merge(number: number): Promise<string | undefined> {
      const { status, body } = await client.put(`${base}/pulls/${number}/merge`);
      if (status === 200) return undefined;
      expect(status).toBe(405);
      return body.message;
    },
  };
}

test('a branch gets a commit that every tool has analysed, without new alerts that reach a threshold', async () => {
  const { client, base, first, head, send, scan, move, tip } = await setting([strict, { ...strict, tool: 'Semgrep OSS' }]);
  expect(await move()).toContain(
    `${expected} Code scanning results of Semgrep OSS are expected. (code_scanning, ruleset "Scanned")`,
  );
  await send('refs/heads/topic', head, [unused, injection]);
  expect(await move()).toContain('Code scanning results are still being processed.');
  await here.settle();
  const told = await move();
  expect(told).toContain(`${critical} Code scanning results of Semgrep OSS are expected.`);
  expect(told).not.toContain('still');
  expect(await tip('main')).toBe(first);
  // The rule is recorded as the others are.
  const { body: suites } = await client.get(`${base}/rulesets/rule-suites`);
  const { body: suite } = await client.get(`${base}/rulesets/rule-suites/${suites[0].id}`);
  expect(suite.rule_evaluations).toMatchObject([
    { rule_type: 'code_scanning', result: 'fail', details: expect.stringContaining(critical) },
  ]);
  await scan('refs/heads/main', first, []);
  expect(await move()).toContain(critical);
});

test('what the branch has already, and what was dismissed, keeps nothing out', async () => {
  const { client, base, first, head, scan, move } = await setting();
  await scan('refs/heads/topic', head, [injection]);
  expect(await move()).toContain(critical);
  const alert = `${base}/code-scanning/alerts/1`;
  await client.patch(alert, { state: 'dismissed', dismissed_reason: 'used in tests' });
  expect(await move(head)).toBeUndefined();
  await client.patch(`${base}/git/refs/heads/main`, { sha: first, force: true });
  const again = await setting();
  await again.scan('refs/heads/main', again.first, [injection]);
  await again.scan('refs/heads/topic', again.head, [injection, unused]);
  expect(await again.move()).toBeUndefined();
});

test('results stay those of their commit when its branch moves on or is deleted', async () => {
  const { client, base, head, commit, scan, move, tip } = await setting();
  await scan('refs/heads/topic', head, [injection]);
  const fixed = await commit('topic', { 'a.txt': '1\n2\n3\n' });
  await scan('refs/heads/topic', fixed, []);
  expect(await move()).toContain(critical);
  await client.delete(`${base}/git/refs/heads/topic`);
  await here.settle();
  expect(await move()).toContain(critical);
  expect(await move(fixed)).toBeUndefined();
  expect(await tip('main')).toBe(fixed);
});

test('the last analysis of each category counts', async () => {
  const { head, scan, move } = await setting();
  await scan('refs/heads/topic', head, [], '/language:python/');
  await scan('refs/heads/topic', head, [injection], '/language:javascript/');
  expect(await move()).toContain(critical);
  await scan('refs/heads/topic', head, [], '/language:python/');
  expect(await move()).toContain(critical);
  await scan('refs/heads/topic', head, [], '/language:javascript/');
  expect(await move()).toBeUndefined();
});

test('a pull request is merged by the results of its head, or of a test merge of it', async () => {
  const { client, base, first, head, commit, open, tested, send, scan, merge } = await setting();
  await scan('refs/heads/main', first, [unused]);
  const number = await open('topic');
  const state = async () => (await tested(number)).mergeable_state;
  expect(await state()).toBe('blocked');
  expect(await merge(number)).toContain(expected);
  const { merge_commit_sha } = await tested(number);
  await scan(`refs/pull/${number}/merge`, String(merge_commit_sha), [unused, injection]);
  expect(await merge(number)).toContain(critical);
  // The head itself, without what it would be merged with: the later results count.
  await scan(`refs/pull/${number}/head`, head, [unused]);
  expect(await state()).toBe('clean');
  await scan(`refs/pull/${number}/merge`, String(merge_commit_sha), [unused, injection]);
  expect(await state()).toBe('blocked');
  // Results of another commit say nothing.
  await commit('topic', { 'a.txt': '1\nexec\n3\n4\n' });
  const { merge_commit_sha: later } = await tested(number);
  expect(await merge(number)).toContain(expected);
  await send(`refs/pull/${number}/merge`, String(later), [unused]);
  expect(await merge(number)).toContain('Code scanning results are still being processed.');
  expect(await state()).not.toBe('blocked');
  // The test merge was made again, since the base moved: the results are still those of the head.
  await client.put(`${base}/rulesets/${(await client.get(`${base}/rulesets`)).body[0].id}`, { enforcement: 'disabled' });
  await commit('main', { 'other.txt': '1' });
  await client.put(`${base}/rulesets/${(await client.get(`${base}/rulesets`)).body[0].id}`, { enforcement: 'active' });
  expect((await tested(number)).merge_commit_sha).not.toBe(later);
  expect(await merge(number)).toBeUndefined();
});

test('a test merge says nothing of other pull requests, and nothing of a push of its head', async () => {
  const { client, base, first, head, open, tested, scan, merge, move } = await setting(
    [strict],
    ['refs/heads/main', 'refs/heads/before'],
  );
  await scan('refs/heads/main', first, []);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/before', sha: first });
  const number = await open('topic');
  const other = await open('topic', { base: 'before' });
  const { merge_commit_sha } = await tested(other);
  await scan(`refs/pull/${other}/merge`, String(merge_commit_sha), []);
  expect(await merge(number)).toContain(expected);
  expect(await move(head)).toContain(expected);
  expect(await merge(other)).toBeUndefined();
});

test('a new branch is compared with the default branch', async () => {
  const { ada, client, base, first, head, scan } = await setting([strict], ['refs/heads/release/*']);
  const create = async (name: string, sha: string) =>
    (await client.post(`${base}/git/refs`, { ref: `refs/heads/release/${name}`, sha })).body.message;
  expect(await create('1', first)).toContain(expected);
  await scan('refs/heads/main', first, [injection]);
  expect(await create('1', first)).toBeUndefined();
  await scan('refs/heads/topic', head, [injection, { ...injection, path: 'b.txt', hash: 'cccc:1' }]);
  expect(await create('2', head)).toContain(critical);
  // The first branch of an empty repository, which nobody can have analysed.
  const empty = await here.repo(ada);
  const own = `/repos/${ada.login}/${empty.name}`;
  const parameters = { code_scanning_tools: [strict] };
  await client.post(`${own}/rulesets`, {
    name: 'Scanned',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'] } },
    rules: [{ type: 'code_scanning', parameters }],
  });
  const put = (file: string) => client.put(`${own}/contents/${file}`, { message: 'Add a file', content: '', branch: 'main' });
  expect((await put('a')).status).toBe(201);
  expect((await put('b')).body.message).toContain(expected);
});

test('the rule is explained, and costs the same for one tool and for many', async () => {
  const { ada, owner, repo, base, head, open, tested, scan } = await setting();
  await scan('refs/heads/topic', head, [injection, unused]);
  const told = await explainPush({
    db: here.db,
    services: here.hearth.services,
    authorization: `Bearer ${await here.token(ada)}`,
    owner: owner.login,
    name: repo.name,
    ref: 'main',
    to: 'topic',
    now: here.clock.now,
  });
  expect(told).toMatchObject({
    allowed: false,
    steps: [{}, { check: 'code_scanning, ruleset "Scanned"', passed: false, because: critical }],
  });
  const costOf = async (made: Pick<Awaited<ReturnType<typeof setting>>, 'ada' | 'base' | 'open' | 'tested'>) => {
    const number = await made.open('topic');
    await made.tested(number);
    return here.statements(made.ada, `${made.base}/pulls/${number}`);
  };
  const tools = Array.from({ length: 99 }, (_, at) => ({ ...strict, tool: `Tool ${at}` }));
  const none = await costOf(await setting([]));
  expect(await costOf({ ada, base, open, tested })).toBe(none + 2);
  expect(await costOf(await setting([strict, ...tools]))).toBe(none + 2);
});

const found: NewAlertCount[] = [
  ...(['critical', 'high', 'medium', 'low'] as const).map((level) => ({
    tool: 'CodeQL',
    severity: 'error' as const,
    level,
    count: 1,
  })),
  ...(['error', 'warning', 'note', 'none'] as const).map((severity) => ({ tool: 'CodeQL', severity, level: null, count: 2 })),
  // Another row of a level, whose alerts have another severity, and another tool.
  { tool: 'CodeQL', severity: 'warning', level: 'high', count: 3 },
  { tool: 'ESLint', severity: 'error', level: null, count: 50 },
];

test.each([
  ['none', 'none', undefined],
  ['errors', 'none', '2 error'],
  ['errors_and_warnings', 'none', '2 error, 2 warning'],
  ['all', 'none', '2 error, 2 warning, 2 note, 2 none'],
  ['none', 'critical', '1 critical'],
  ['none', 'high_or_higher', '1 critical, 4 high'],
  ['none', 'medium_or_higher', '1 critical, 4 high, 1 medium'],
  ['none', 'all', '1 critical, 4 high, 1 medium, 1 low'],
  ['errors', 'critical', '1 critical, 2 error'],
] as const)('of alerts, %s refuses, and of security alerts, %s', (alerts_threshold, security_alerts_threshold, says) => {
  const required = { tool: 'CodeQL', alerts_threshold, security_alerts_threshold };
  expect(problemOf(required, found)).toBe(says && `CodeQL has found new alerts: ${says}.`);
  expect(problemOf(required, [{ tool: 'CodeQL', severity: null, level: null, count: 0 }])).toBeUndefined();
  expect(problemOf(required, [{ tool: 'codeql', severity: null, level: null, count: 0 }])).toBe(expected);
});
