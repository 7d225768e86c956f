import { Octokit } from 'octokit';
import { beforeEach, expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { fresh, world } from '#test/support/world.ts';
import { codeql, eslint, type Problem, packed, semgrep, sourceOf, upload } from './setting.ts';

const here = await world({ vocabulary: 'github' });
const { owner, org, client, target } = await listening();
const octokit = new Octokit({ auth: await here.token(owner), baseUrl: `${here.url}/api/v3`, throttle: { enabled: false } });

const injection: Problem = { rule: 'js/command-line-injection', path: 'src/run.js', line: 2, hash: 'aaaa:1' };
const unused: Problem = { rule: 'js/unused-local-variable', path: 'src/run.js', line: 3, hash: 'bbbb:1' };

/** A repository with a file, and what tools say of it. */
async function setting() {
  const repo = await here.repo(org, { name: fresh('engine'), by: owner, visibility: 'private' });
  const base = `/repos/${org.login}/${repo.name}`;
  const put = async (path: string, lines: readonly string[], branch = 'main') => {
    const { body: before } = await client.get(`${base}/contents/${path}?ref=${branch}`);
    const { body } = await client.put(`${base}/contents/${path}`, {
      message: 'Change',
      content: Buffer.from(sourceOf(lines)).toString('base64'),
      branch,
      sha: before?.sha,
    });
    return body.commit.sha as string;
  };
  const first = await put('src/run.js', ['// run', 'exec(input)', 'let a = 1']);
  const scan = async (sarif: object, more = {}) => {
    const { status, body } = await upload(client, base, sarif, more);
    expect(status).toBe(202);
    await here.settle();
    return body.id as string;
  };
  const branch = (name: string) => client.post(`${base}/git/refs`, { ref: `refs/heads/${name}`, sha: first });
  const at = `${base}/code-scanning`;
  const states = async (query = '') =>
    (await client.get(`${at}/alerts?direction=asc${query}`)).body.map(({ state }: { state: string }) => state);
  await here.settle();
  target.requests.length = 0;
  return { repo, base, at, put, first, scan, branch, states };
}

let one: Awaited<ReturnType<typeof setting>>;
beforeEach(async () => {
  one = await setting();
});

test('a file of CodeQL becomes an analysis and alerts, by an unmodified client', async () => {
  const { repo, at, first } = one;
  const named = { owner: org.login, repo: repo.name };
  const { data: sent } = await octokit.rest.codeScanning.uploadSarif({
    ...named,
    commit_sha: first,
    ref: 'refs/heads/main',
    sarif: packed(codeql([unused, injection])),
    checkout_uri: 'file:///builds/engine/',
    started_at: '2026-01-01T00:00:00Z',
    validate: true,
  });
  const sarif_id = sent.id ?? '';
  expect((await octokit.rest.codeScanning.getSarif({ ...named, sarif_id })).data).toEqual({
    processing_status: 'pending',
    analyses_url: null,
  });
  await here.settle();
  expect((await octokit.rest.codeScanning.getSarif({ ...named, sarif_id })).data).toMatchObject({
    processing_status: 'complete',
  });
  const { data: analyses } = await octokit.rest.codeScanning.listRecentAnalyses({ ...named, sarif_id });
  expect(analyses).toMatchObject([
    {
      ref: 'refs/heads/main',
      commit_sha: first,
      category: '/language:javascript-typescript',
      results_count: 2,
      rules_count: 2,
      tool: { name: 'CodeQL', version: '2.20.1', guid: null },
      deletable: true,
      warning: '',
      error: '',
    },
  ]);
  const { data: alerts } = await octokit.rest.codeScanning.listAlertsForRepo(named);
  expect(alerts.map(({ rule }) => rule.id)).toEqual(['js/command-line-injection', 'js/unused-local-variable']);
  const { data: alert } = await octokit.rest.codeScanning.getAlert({ ...named, alert_number: 2 });
  expect(alert).toMatchObject({
    number: 2,
    state: 'open',
    fixed_at: null,
    rule: {
      id: 'js/command-line-injection',
      severity: 'error',
      security_severity_level: 'critical',
      description: 'Uncontrolled command line',
      tags: ['correctness', 'security', 'external/cwe/cwe-078'],
      help: '# Uncontrolled command line\nDo not.',
    },
    tool: { name: 'CodeQL' },
    most_recent_instance: {
      ref: 'refs/heads/main',
      state: 'open',
      commit_sha: first,
      location: { path: 'src/run.js', start_line: 2, end_line: 2, start_column: 3, end_column: 9 },
      message: { text: 'This depends on a [value](1).' },
      classifications: [],
    },
  });
  const told = await heard(here, target);
  expect(told['code_scanning_alert.created']).toMatchObject({
    ref: 'refs/heads/main',
    commit_oid: first,
    alert: { state: 'open', tool: { name: 'CodeQL' } },
    sender: { login: owner.login },
  });

  const { text, headers } = await client.get(`${at}/analyses/${analyses[0]?.id}`, {
    headers: { accept: 'application/sarif+json' },
  });
  expect(headers['content-type']).toContain('application/sarif+json');
  expect(JSON.parse(text)).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        results: [
          { ruleId: 'js/unused-local-variable', properties: { 'github/alertNumber': 1 } },
          { ruleId: 'js/command-line-injection', properties: { 'github/alertUrl': alert.url } },
        ],
        tool: { driver: { name: 'CodeQL' } },
      },
    ],
  });
});

test('an alert is closed when the tool doesn’t find it any more, and opened when it does', async () => {
  const { scan, states, at } = one;
  await scan(codeql([injection, unused]));
  await heard(here, target);
  await scan(codeql([injection]));
  expect(await states()).toEqual(['open', 'fixed']);
  expect((await client.get(`${at}/alerts/2`)).body).toMatchObject({ state: 'fixed', fixed_at: expect.any(String) });
  expect((await heard(here, target))['code_scanning_alert.fixed']).toMatchObject({ alert: { number: 2, state: 'fixed' } });
  // What another category, or another tool, doesn't find says nothing.
  await scan(codeql([], '/language:python/'));
  await scan(eslint([]));
  expect(await states()).toEqual(['open', 'fixed']);
  await scan(codeql([unused]));
  expect(await states()).toEqual(['fixed', 'open']);
  const told = await heard(here, target);
  expect(told).toHaveProperty(['code_scanning_alert.reopened']);
  expect(told).toHaveProperty(['code_scanning_alert.fixed']);
  // Two categories have one alert, which is open as long as either finds it.
  await scan(codeql([unused], '/language:python/'));
  expect((await client.get(`${at}/alerts/2/instances`)).body).toHaveLength(2);
  await scan(codeql([]));
  expect(await states()).toEqual(['fixed', 'open']);
  await scan(codeql([], '/language:python/'));
  expect(await states()).toEqual(['fixed', 'fixed']);
});

test('alerts are told by the text of their line, where the tool gives no fingerprint', async () => {
  const { scan, at, put } = one;
  const at3 = { rule: 'no-unused-vars', path: 'src/run.js', line: 3 };
  await scan(eslint([at3]), { checkout_uri: 'file:///builds/engine' });
  await put('src/run.js', ['// run', '// more', '// and more', 'exec(input)', '  let a = 1', 'let a = 1']);
  await scan(eslint([{ ...at3, line: 5 }]), { checkout_uri: 'file:///builds/engine' });
  expect((await client.get(`${at}/alerts`)).body).toMatchObject([
    {
      number: 1,
      state: 'open',
      rule: { id: 'no-unused-vars', severity: 'error', help_uri: 'https://eslint.org/docs/rules/no-unused-vars' },
      most_recent_instance: { location: { path: 'src/run.js', start_line: 5 } },
    },
  ]);
  // An equal line further down is another alert.
  await scan(
    eslint([
      { ...at3, line: 5 },
      { ...at3, line: 6, level: 'warning' },
    ]),
    { checkout_uri: 'file:///builds/engine' },
  );
  expect((await client.get(`${at}/alerts?severity=warning`)).body).toMatchObject([{ number: 2 }]);
});

test('Semgrep’s results without a problem or suppressed ones have no alerts; classes follow from paths', async () => {
  const { scan, at } = one;
  const rule = 'javascript.lang.eval';
  await scan(
    semgrep([
      { rule, path: 'src/run.js', line: 2, isSuppressed: true },
      { rule, path: './tests/run.js', line: 1 },
    ]),
  );
  expect((await client.get(`${at}/alerts`)).body).toMatchObject([
    {
      rule: { id: rule, severity: 'warning', security_severity_level: null },
      tool: { name: 'Semgrep OSS', version: '1.60.0' },
      most_recent_instance: { category: '', classifications: ['test'], location: { path: 'tests/run.js', end_line: 2 } },
    },
  ]);
  const { body: analyses } = await client.get(`${at}/analyses`);
  const { text } = await client.get(`${at}/analyses/${analyses[0].id}`, { headers: { accept: 'application/sarif+json' } });
  const [suppressed, shown] = JSON.parse(text).runs[0].results;
  expect([suppressed.properties, shown.properties]).toMatchObject([undefined, { 'github/alertNumber': 1 }]);
});

test('branches have alerts of their own state; the list is that of the default branch', async () => {
  const { scan, states, at, branch } = one;
  await branch('topic');
  await scan(codeql([injection]));
  await heard(here, target);
  await scan(codeql([injection, unused]), { branch: 'topic' });
  expect(await states()).toEqual(['open']);
  expect(await states('&ref=topic')).toEqual(['open', 'open']);
  expect(await states('&ref=refs/heads/topic&state=closed')).toEqual([]);
  const told = await heard(here, target);
  expect(told['code_scanning_alert.appeared_in_branch']).toMatchObject({ ref: 'refs/heads/topic', alert: { number: 1 } });
  expect(told['code_scanning_alert.created']).toMatchObject({ ref: 'refs/heads/topic', alert: { number: 2 } });
  await scan(codeql([]), { branch: 'topic' });
  expect(await states()).toEqual(['open']);
  expect(await states('&ref=topic')).toEqual(['fixed', 'fixed']);
  expect((await client.get(`${at}/alerts/1/instances?ref=topic`)).body).toMatchObject([
    { state: 'fixed', ref: 'refs/heads/topic' },
  ]);
  expect((await client.get(`${at}/analyses?ref=topic`)).body).toHaveLength(2);
  expect((await client.get(`${at}/alerts?ref=topic&pr=1`)).status).toBe(422);
});

test('a branch that is renamed takes its alerts along, and one that is deleted closes them', async () => {
  const { scan, states, base, branch } = one;
  await branch('topic');
  await scan(codeql([injection]));
  await scan(codeql([injection, unused]), { branch: 'topic' });
  expect((await client.post(`${base}/branches/main/rename`, { new_name: 'trunk' })).status).toBe(201);
  await here.settle();
  expect(await states()).toEqual(['open']);
  expect((await client.get(`${base}/code-scanning/analyses?ref=trunk`)).body).toHaveLength(1);
  await scan(codeql([]), { branch: 'trunk' });
  expect(await states()).toEqual(['fixed']);
  expect((await client.delete(`${base}/git/refs/heads/topic`)).status).toBe(204);
  await here.settle();
  expect(await states('&ref=topic')).toEqual(['fixed', 'fixed']);
});

test('alerts are dismissed with a reason, opened again and assigned', async () => {
  const { scan, states, at, repo } = one;
  await scan(codeql([injection, unused]));
  await heard(here, target);
  expect((await client.patch(`${at}/alerts/1`, { state: 'dismissed' })).status).toBe(400);
  expect((await client.patch(`${at}/alerts/1`, { state: 'open', dismissed_reason: 'used in tests' })).status).toBe(400);
  expect((await client.patch(`${at}/alerts/1`, { state: 'fixed' })).status).toBe(422);
  expect((await client.patch(`${at}/alerts/1`, { dismissed_comment: 'x' })).status).toBe(400);
  const requested = { state: 'dismissed', dismissed_reason: 'false positive', create_request: true };
  expect(await client.patch(`${at}/alerts/1`, requested)).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'create_request' }] },
  });
  expect(await states()).toEqual(['open', 'open']);
  const wanted = { state: 'dismissed', dismissed_reason: 'false positive', dismissed_comment: 'It is constant' };
  expect((await client.patch(`${at}/alerts/1`, { ...wanted, create_request: false })).body).toMatchObject({
    ...wanted,
    dismissed_by: { login: owner.login },
  });
  expect((await heard(here, target))['code_scanning_alert.closed_by_user']).toMatchObject({
    alert: { dismissed_reason: 'false positive' },
  });
  await scan(codeql([injection, unused]));
  expect(await states()).toEqual(['dismissed', 'open']);
  expect(await states('&state=dismissed')).toEqual(['dismissed']);
  expect((await client.patch(`${at}/alerts/1`, { state: 'open' })).body).toMatchObject({ state: 'open', dismissed_at: null });
  expect(await heard(here, target)).toHaveProperty(['code_scanning_alert.reopened_by_user']);

  const helper = await here.user();
  const refused = await client.patch(`${at}/alerts/1`, { assignees: [helper.login] });
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'assignees']);
  await here.collaborator(repo, helper, 'write');
  expect((await client.patch(`${at}/alerts/1`, { assignees: [helper.login] })).body.assignees).toMatchObject([
    { login: helper.login },
  ]);
  expect(await states(`&assignees=${helper.login}`)).toEqual(['open']);
  expect(await states('&assignees=none')).toEqual(['open']);
  expect((await client.patch(`${at}/alerts/1`, { assignees: [] })).body.assignees).toEqual([]);
  await scan(codeql([]));
  expect((await client.patch(`${at}/alerts/1`, wanted)).status).toBe(400);
});

test('analyses are deleted from the last back, as if they had not been', async () => {
  const { scan, states, at } = one;
  await scan(codeql([injection]));
  await scan(codeql([unused]));
  expect(await states()).toEqual(['fixed', 'open']);
  const { body: analyses } = await client.get(`${at}/analyses`);
  expect(analyses.map(({ deletable }: { deletable: boolean }) => deletable)).toEqual([true, false]);
  const [last, first] = analyses.map(({ id }: { id: number }) => `${at}/analyses/${id}`);
  const refused = await client.delete(first);
  expect([refused.status, refused.body.message]).toEqual([400, 'Analysis specified is not deletable.']);
  const { body: deletion } = await client.delete(last);
  expect(deletion).toEqual({
    next_analysis_url: expect.stringContaining(first),
    confirm_delete_url: expect.stringContaining(`${first}?confirm_delete=true`),
  });
  await here.settle();
  expect(await states()).toEqual(['open']);
  expect((await client.get(`${at}/alerts/2`)).status).toBe(404);
  expect((await client.delete(first)).status).toBe(400);
  expect((await client.delete(`${first}?confirm_delete=true`)).body).toEqual({
    next_analysis_url: null,
    confirm_delete_url: null,
  });
  await here.settle();
  expect(await states()).toEqual([]);
  expect((await client.get(`${at}/analyses`)).body).toEqual([]);
});

test('those who may write see alerts, in repositories and for organizations; lists cost the same for one and many', async () => {
  const { scan, at, repo } = one;
  await scan(codeql([injection]));
  const counts = await Promise.all(
    [`${at}/alerts`, `${at}/analyses`, `${at}/alerts/1/instances`].map((path) => here.statements(owner, path)),
  );
  await scan(codeql([injection, unused, { ...unused, hash: 'cccc:1' }]));
  await scan(codeql([injection], '/language:python/'));
  expect((await client.get(`${at}/alerts`)).body).toHaveLength(3);
  const again = await Promise.all(
    [`${at}/alerts`, `${at}/analyses`, `${at}/alerts/1/instances`].map((path) => here.statements(owner, path)),
  );
  expect(again).toEqual(counts);
  expect(Math.max(...again)).toBeLessThanOrEqual(5);
  const { body: listed } = await client.get(`/orgs/${org.login}/code-scanning/alerts?severity=critical&tool_name=CodeQL`);
  expect(listed.filter(({ repository }: { repository: { name: string } }) => repository.name === repo.name)).toHaveLength(1);
  const reader = await here.user();
  await here.collaborator(repo, reader, 'read');
  expect((await (await here.as(reader)).get(`${at}/alerts`)).status).toBe(404);
  const token = await here.fineGrained(owner, org, { security_events: 'read' }, [repo]);
  const limited = await here.as(token);
  expect((await limited.get(`${at}/alerts/1`)).status).toBe(200);
  expect((await limited.patch(`${at}/alerts/1`, { state: 'open' })).status).toBe(403);
});

test('a file that names no tool is of the one that its upload names', async () => {
  const { scan, at } = one;
  const result = {
    ruleId: 'x',
    message: { text: 'x' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/run.js' } } }],
  };
  await scan({ version: '2.1.0', runs: [{ tool: { driver: { name: '' } }, results: [result] }] }, { tool_name: 'Mine' });
  expect((await client.get(`${at}/analyses`)).body).toMatchObject([{ tool: { name: 'Mine' } }]);
});
