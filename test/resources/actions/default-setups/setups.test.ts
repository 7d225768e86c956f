import { expect, test } from 'vitest';
import { analyseWeekly } from '#resources/actions/default-setups/jobs.ts';
import { queueSetting } from '#test/resources/collaboration/merge-queues/setting.ts';
import { pullSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import { codeql, type Problem } from '#test/resources/security/code-scanning/setting.ts';
import { eventsOf } from '#test/support/apps.ts';
import { startRunner, startRunnerOf } from '#test/support/runner-client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { fresh, world } from '#test/support/world.ts';
import { analysersFile, fileOf, makeAnalysers, runAnalyser, setupSetting } from './setting.ts';

const w = await world({ analysers: await analysersFile() });
await makeAnalysers(w);

const injection: Problem = { rule: 'js/command-line-injection', path: 'app.py', line: 1, hash: 'aaaa:1' };
const category = '/language:python/';
const off = {
  state: 'not-configured',
  runner_type: null,
  runner_label: null,
  query_suite: 'default',
  threat_model: 'remote',
  updated_at: null,
  schedule: null,
};
const tables = ['default_setups', 'workflow_runs', 'events'];

test('a setup that is turned on analyses the repository, and the results become alerts', async () => {
  const { client, base, at, head, repo, org, runs, configure } = await setupSetting(w);
  expect((await client.get(at)).body).toEqual({ ...off, languages: ['python'] });
  const { status, body } = await configure();
  expect({ status, body }).toEqual({
    status: 202,
    body: { run_id: expect.any(Number), run_url: `${w.url}/api/v3${base}/actions/runs/${body.run_id}` },
  });
  const on = { state: 'configured', runner_type: 'standard', schedule: 'weekly', updated_at: '2026-01-01T00:00:00Z' };
  expect((await client.get(at)).body).toEqual({ ...off, ...on, languages: ['python'] });
  expect(await runs()).toMatchObject([
    {
      id: body.run_id,
      name: 'Code scanning',
      path: 'dynamic/code-scanning/default-setup',
      event: 'dynamic',
      head_sha: head,
      head_branch: 'main',
      display_title: 'Code scanning: main after a change of the setup',
      referenced_workflows: [{ path: 'scans/analysers/.github/workflows/scan.yml@main' }],
    },
  ]);

  const { task, context, sent, wrote } = await runAnalyser(w, repo, codeql([injection], category));
  expect(context).toMatchObject({ ref: 'refs/heads/main', sha: head });
  expect(fileOf(task).jobs.scan).toMatchObject({ name: 'Analyze (python) / scan', 'runs-on': ['ubuntu-latest'] });
  expect([sent.status, wrote.status]).toEqual([202, 403]);
  expect((await client.get(`${base}/code-scanning/alerts`)).body).toMatchObject([
    { state: 'open', rule: { id: injection.rule } },
  ]);
  expect((await client.get(`${base}/code-scanning/analyses`)).body).toMatchObject([{ category: '/language:python' }]);
  expect(await runs()).toMatchObject([{ conclusion: 'success' }]);
  expect((await eventsOf(w, org)).filter((kind) => kind.startsWith('default_setup.'))).toEqual(['default_setup.changed']);
});

test('the same again changes nothing; a setup that is turned off analyses nothing more', async () => {
  const { client, at, repo, runs, configure } = await setupSetting(w);
  expect((await configure()).status).toBe(202);
  await w.unchanged(tables, async () => {
    expect(await configure()).toMatchObject({ status: 200, body: {} });
    expect(await client.patch(at, {})).toMatchObject({ status: 200, body: {} });
    expect(await client.patch(at, { query_suite: 'default' })).toMatchObject({ status: 200, body: {} });
  });
  expect(await runs()).toHaveLength(1);
  expect(await client.patch(at, { state: 'not-configured' })).toMatchObject({ status: 200, body: {} });
  expect((await client.get(at)).body).toEqual({ ...off, languages: ['python'] });
  const base = at.replace('/code-scanning/default-setup', '');
  await client.put(`${base}/contents/more.py`, { message: 'More', content: 'eA==' });
  expect(await runs()).toHaveLength(1);
  expect(await w.db.selectFrom('default_setups').select('product').where('repository_id', '=', repo.id).execute()).toEqual([]);
});

/** The environment of the step, with the expressions that the server has evaluated. */
const literal = (text: string) => `\${{ '${text}' }}`;
const given = (task: Parameters<typeof fileOf>[0]) => fileOf(task).jobs.scan.steps[0].env;

test('an analyser gets the options of the setup, and its runner', async () => {
  const { client, at, repo, configure } = await setupSetting(w);
  const wanted = { query_suite: 'extended', threat_model: 'remote_and_local', runner_type: 'labeled', runner_label: 'scans' };
  expect((await configure(wanted)).status).toBe(202);
  expect((await client.get(at)).body).toMatchObject(wanted);
  await w.settle();
  expect(await (await startRunner(w, repo, { name: fresh('r') })).fetch()).toBeUndefined();
  const task = await (await startRunner(w, repo, { name: fresh('r'), labels: ['scans'] })).fetch();
  if (!task) throw new Error('No job waits');
  expect(given(task)).toEqual({
    LANGUAGE: literal('python'),
    CATEGORY: literal('/language:python'),
    SUITE: literal('extended'),
    MODEL: literal('remote_and_local'),
  });
  // A label of its own is the default of labeled runners.
  expect((await client.patch(at, { runner_label: null })).status).toBe(202);
  expect((await client.get(at)).body).toMatchObject({ ...wanted, runner_label: 'code-scanning' });
  expect((await client.patch(at, { runner_type: 'standard' })).status).toBe(202);
  expect((await client.get(at)).body).toMatchObject({ runner_type: 'standard', runner_label: null });
});

test('languages are those of the default branch that have an analyser, or those that are chosen', async () => {
  const files = { 'app.py': 'a', 'main.go': 'b', 'x.js': 'c', 'Main.java': 'd' };
  const { client, base, at, runs, configure } = await setupSetting(w, { files });
  expect((await client.get(at)).body.languages).toEqual(['go', 'javascript-typescript', 'python']);
  expect((await configure()).status).toBe(202);
  const jobs = async (run: number) =>
    (await client.get(`${base}/actions/runs/${run}/jobs`)).body.jobs.map(({ name }: { name: string }) => name);
  const [first] = await runs();
  expect(await jobs(first.id)).toEqual([
    'Analyze (go) / scan',
    'Analyze (javascript-typescript) / lint',
    'Analyze (python) / scan',
  ]);
  const { body, status } = await client.patch(at, { languages: ['python', 'go', 'python'] });
  expect(status).toBe(202);
  expect((await client.get(at)).body.languages).toEqual(['go', 'python']);
  await w.settle();
  expect(await jobs(body.run_id)).toEqual(['Analyze (go) / scan', 'Analyze (python) / scan']);
  expect((await client.patch(at, { languages: [] })).status).toBe(202);
  expect((await client.get(at)).body.languages).toEqual(['go', 'javascript-typescript', 'python']);
});

const hint = 'The operator of the server names analysers by HEARTH_ANALYSERS.';

test.each([
  ['a language without an analyser', {}, { languages: ['swift'] }, `languages: this server has no analyser for swift. ${hint}`],
  [
    'a label of standard runners',
    {},
    { runner_type: 'standard', runner_label: 'scans' },
    'runner_label is for the runner_type labeled',
  ],
  ['a label alone', {}, { runner_label: 'scans' }, 'runner_label is for the runner_type labeled'],
  ['an empty label', {}, { runner_type: 'labeled', runner_label: ' ' }, 'runner_label is empty'],
  [
    'nothing with an analyser',
    { 'Main.java': 'a' },
    {},
    "Code scanning can't be configured: no language of this repository has an analyser " +
      `(it has java-kotlin; there are analysers for python, go, javascript-typescript, ruby). ${hint}`,
  ],
  ['no commits', {}, {}, 'no language of this repository has an analyser (it has none that is known'],
  ['an analyser that is not there', { 'a.rb': 'a' }, {}, "The analyser for ruby can't be called: "],
  [
    'an analyser without the input for the runner',
    { 'a.js': 'a' },
    { runner_type: 'labeled' },
    'runs on no runner with another label: it has no input named runner',
  ],
])('a setup is refused for %s', async (what, files, wanted, message) => {
  const isEmpty = what === 'no commits' || Object.keys(files).length > 0;
  const { configure } = await setupSetting(w, isEmpty ? { files } : {});
  await w.settle();
  await w.unchanged(tables, async () => {
    const { status, body } = await configure(wanted);
    expect(status).toBe(422);
    expect([body.message, ...(body.errors ?? []).map((error: { message: string }) => error.message)].join('\n')).toContain(
      message,
    );
  });
});

test('options without a state are refused while nothing is configured, and unknown values ever', async () => {
  const { client, at } = await setupSetting(w);
  await w.unchanged(tables, async () => {
    for (const wanted of [{ query_suite: 'extended' }, { state: 'sometimes' }, { more: 1 }, { languages: ['cobol'] }])
      expect((await client.patch(at, wanted)).status).toBe(422);
  });
});

test('a repository without workflows has no analyses', async () => {
  const { client, base, configure } = await setupSetting(w);
  expect((await client.put(`${base}/actions/permissions`, { enabled: false })).status).toBe(204);
  await w.unchanged(tables, async () => {
    const message = 'Workflows are disabled for this repository, so that no analysis could run.';
    expect(await configure()).toMatchObject({ status: 422, body: { message } });
  });
});

test('code quality has a setup of its own, with results in a category of its own', async () => {
  const { client, base, runs } = await setupSetting(w, { files: { 'app.js': 'a', 'app.py': 'b' } });
  const at = `${base}/code-quality/setup`;
  const shown = { state: 'not-configured', languages: ['javascript-typescript'], ai_findings_option: null, schedule: null };
  expect((await client.get(at)).body).toMatchObject(shown);
  expect((await client.patch(at, { ai_findings_option: 'on_push' })).status).toBe(422);
  expect((await client.patch(at, { state: 'configured', ai_findings_option: 'disabled' })).status).toBe(202);
  expect((await client.get(at)).body).toMatchObject({
    ...shown,
    state: 'configured',
    runner_type: 'standard',
    schedule: 'weekly',
    ai_findings_option: 'disabled',
  });
  expect(await runs()).toMatchObject([{ name: 'Code quality', path: 'dynamic/code-quality/setup' }]);
  expect((await client.get(`${base}/code-scanning/default-setup`)).body).toMatchObject({ state: 'not-configured' });
});

test('pushes to the default branch and to protected ones are analysed, and no others', async () => {
  const { client, base, configure, runs } = await setupSetting(w);
  await configure();
  const write = async (branch: string) => {
    const path = `${base}/contents/${fresh('file')}.py`;
    expect((await client.put(path, { message: 'Change', content: 'eA==', branch })).status).toBe(201);
  };
  const { sha } = (await client.get(`${base}/commits/main`)).body;
  for (const name of ['release', 'feature']) await client.post(`${base}/git/refs`, { ref: `refs/heads/${name}`, sha });
  await w.settle();
  const protection = {
    required_status_checks: null,
    enforce_admins: false,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  expect((await client.put(`${base}/branches/release/protection`, protection)).status).toBe(200);
  expect(await runs()).toHaveLength(1);
  await write('feature');
  expect(await runs()).toHaveLength(1);
  await write('release');
  await write('main');
  const found = await runs();
  expect(found.map(({ head_branch }: { head_branch: string }) => head_branch)).toEqual(['main', 'release', 'main']);
  expect(found[0].display_title).toBe('Code scanning: push to main');
  await client.delete(`${base}/git/refs/heads/release`);
  expect(await runs()).toHaveLength(3);
});

test('a pull request for such a branch is analysed as its test merge, and its results make a check', async () => {
  const { client, base, repo, commit, open, tested } = await pullSetting(w, { ownedBy: 'organization' });
  await commit('main', { 'app.py': 'a\n' });
  await w.settle();
  const at = `${base}/code-scanning/default-setup`;
  expect((await client.patch(at, { state: 'configured' })).status).toBe(202);
  await w.settle();
  expect(await (await startRunner(w, repo, { name: fresh('r') })).fetch()).toBeDefined();
  const head = await commit('topic', { 'more.py': 'exec(input())\n' });
  const number = await open('topic', { base: 'main' });
  const { merge_commit_sha } = await tested(number);
  const { context } = await runAnalyser(w, repo, codeql([injection], category));
  expect(context).toMatchObject({ ref: `refs/pull/${number}/merge`, sha: merge_commit_sha });
  const { body } = await client.get(`${base}/actions/runs`);
  expect(body.workflow_runs[0]).toMatchObject({
    head_sha: head,
    head_branch: 'topic',
    display_title: `Code scanning: pull request #${number}`,
    conclusion: 'success',
  });
  const checks = (await client.get(`${base}/commits/${head}/check-runs`)).body.check_runs;
  expect(checks.map(({ name, conclusion }: { name: string; conclusion: string }) => [name, conclusion])).toEqual(
    expect.arrayContaining([
      ['CodeQL', 'failure'],
      ['Analyze (python) / scan', 'success'],
    ]),
  );
  await commit('topic', { 'again.py': 'a\n' });
  await w.settle();
  expect((await client.get(`${base}/actions/runs`)).body.total_count).toBe(3);
});

test('a pull request from a fork, for another branch, or with conflicts is not analysed', async () => {
  const { client, base, repo, ada, commit, open, tip } = await pullSetting(w, { ownedBy: 'organization' });
  await commit('main', { 'app.py': 'a\n' });
  await w.settle();
  expect((await client.patch(`${base}/code-scanning/default-setup`, { state: 'configured' })).status).toBe(202);
  await push(w, ada, repo, 'other', await tip('main'));
  await commit('topic', { 'app.py': 'b\n' });
  await open('topic', { base: 'other' });
  await open('topic');
  const outsider = await w.user();
  const forking = await w.as(outsider);
  const fork = (await forking.post(`${base}/forks`, {})).body;
  await w.settle();
  const there = `/repos/${fork.full_name}`;
  expect((await forking.put(`${there}/contents/x.py`, { message: 'x', content: 'eA==', branch: 'main' })).status).toBe(201);
  const wanted = { title: 'Mine', head: `${outsider.login}:main`, base: 'main' };
  expect((await forking.post(`${base}/pulls`, wanted)).status).toBe(201);
  await w.settle();
  expect((await client.get(`${base}/actions/runs`)).body.total_count).toBe(1);
});

test('a group of a merge queue is analysed, since rules may want its results', async () => {
  const { client, base, ready, enqueue, entry } = await queueSetting(w);
  const { number } = await ready('feature', { 'app.py': 'a\n' });
  const at = `${base}/code-scanning/default-setup`;
  expect((await client.patch(at, { state: 'configured', languages: ['python'] })).status).toBe(202);
  expect((await enqueue(number)).status).toBeLessThan(300);
  await w.settle();
  const { merge_group } = await entry(number);
  const { body } = await client.get(`${base}/actions/runs`);
  expect(body.workflow_runs[0]).toMatchObject({
    display_title: 'Code scanning: merge group for main',
    head_sha: merge_group.head_sha,
  });
});

test('once a week the default branch is analysed again, at a time of the repository', async () => {
  const { repo, configure, runs } = await setupSetting(w);
  await configure();
  const due = async () => {
    const found = w.db.selectFrom('default_setups').select('next_run_at').where('repository_id', '=', repo.id);
    return (await found.executeTakeFirstOrThrow()).next_run_at;
  };
  const before = w.clock.now;
  const first = await due();
  const week = 7 * 24 * 3_600_000;
  expect(first.getTime() - before.getTime()).toBeGreaterThan(0);
  expect(first.getTime() - before.getTime()).toBeLessThanOrEqual(week);
  const run = async (time: number) => {
    w.clock.now = new Date(time);

    await analyseWeekly.run({}, w.jobContext());
    return (await runs()).length;
  };
  expect(await run(first.getTime() - 1)).toBe(1);
  expect(await run(first.getTime())).toBe(2);
  expect(await run(first.getTime() + 60_000)).toBe(2);
  expect((await due()).getTime()).toBe(first.getTime() + week);
  // While no worker ran, three weeks passed.
  expect(await run(first.getTime() + 3 * week + 1)).toBe(3);
  expect((await due()).getTime()).toBe(first.getTime() + 4 * week);
  w.clock.now = before;
});

test('jobs of analysers get all private registries that the repository may use, also where its workflows may not', async () => {
  const { client, org, configure } = await setupSetting(w);
  const registries = `/orgs/${org.login}/private-registries`;
  const key = await sealedFor(client, `${registries}/public-key`, 'moonlight');
  const wanted = { registry_type: 'npm_registry', url: 'https://npm.example/', visibility: 'all', ...key };
  expect((await client.post(registries, wanted)).status).toBe(201);
  const secret = await sealedFor(client, `/orgs/${org.login}/actions/secrets/public-key`, 'hidden');
  await client.put(`/orgs/${org.login}/actions/secrets/DEPLOY_KEY`, { ...secret, visibility: 'all' });
  expect((await configure()).status).toBe(202);
  await w.settle();
  const task = await (await startRunnerOf(w, { organization: org.id })).fetch();
  expect(Object.keys(task?.secrets ?? {}).sort()).toEqual(['GITHUB_PRIVATE_REGISTRY_1', 'GITHUB_TOKEN']);
  expect(task?.secrets.GITHUB_PRIVATE_REGISTRY_1).toBe('moonlight');
});

test('administrators see and change setups, and nobody else', async () => {
  const { owner, org, repo, at } = await setupSetting(w);
  const writer = await w.user();
  await w.collaborator(repo, writer, 'maintain');
  const status = async (who: Parameters<typeof w.as>[0]) => {
    const client = await w.as(who);
    return [(await client.get(at)).status, (await client.patch(at, { state: 'not-configured' })).status];
  };
  expect(await status(writer)).toEqual([404, 403]);
  expect(await status(await w.user())).toEqual([404, 404]);
  expect(await status(owner)).toEqual([200, 200]);
  expect(await status(await w.fineGrained(owner, org, { administration: 'read' }))).toEqual([200, 403]);
  expect(await status(await w.fineGrained(owner, org, { administration: 'write' }))).toEqual([200, 200]);
  expect(await status(await w.fineGrained(owner, org, { security_events: 'write' }))).toEqual([403, 403]);
});

test('a setup is shown by few statements', async () => {
  const { owner, at, configure } = await setupSetting(w);
  await configure();
  expect(await w.statements(owner, at)).toBe(3);
});

test('a security manager turns a setup on, which runs like one of an administrator', async () => {
  const { client, at, org, base, runs } = await setupSetting(w);
  const manager = await w.user();
  await w.member(org, manager);
  await client.patch(`/orgs/${org.login}`, { default_repository_permission: 'none' });
  const hers = await w.as(manager);
  expect((await hers.patch(at, { state: 'configured' })).status).toBe(404);
  await client.post(`/orgs/${org.login}/teams`, { name: 'Guards' });
  await client.put(`/orgs/${org.login}/teams/guards/memberships/${manager.login}`);
  await client.put(`/orgs/${org.login}/security-managers/teams/guards`);
  const { status, body } = await hers.patch(at, { state: 'configured' });
  expect(status).toBe(202);
  expect(await runs()).toMatchObject([{ id: body.run_id, actor: { login: manager.login } }]);
  expect((await hers.get(`${base}/actions/runs/${body.run_id}`)).body).toMatchObject({ status: 'queued' });
  expect((await hers.post(`${base}/actions/runs/${body.run_id}/cancel`)).status).toBe(403);
});
