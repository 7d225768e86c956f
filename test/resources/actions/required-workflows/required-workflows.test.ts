import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { explainPush } from '#server/explain-push.ts';
import { defaults } from '#test/resources/collaboration/merge-queues/setting.ts';
import { forkSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import { commitFiles } from '#test/support/commit.ts';
import { startRunnerOf } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';
import { checkFile, checkPath, requiredSetting } from './setting.ts';

const w = await world();

const refusal = (message: string) => ({ status: 405, body: { message: expect.stringContaining(message) } });
const merged = { status: 200, body: { merged: true } };

test('a workflow of another repository runs for a pull request, which is merged once it has succeeded', async () => {
  const { propose, merge, runs, runNext, name, tools, client, base, tested, ruleset } = await requiredSetting(w);
  expect(ruleset.rules).toEqual([
    { type: 'workflows', parameters: { workflows: [{ repository_id: tools.id, path: checkPath }] } },
  ]);
  const { number, head } = await propose('topic');
  expect(await runs()).toMatchObject([
    { event: 'pull_request', name: 'Check', path: name, head_sha: head, head_branch: 'topic', status: 'queued' },
  ]);
  expect(await merge(number)).toMatchObject(
    refusal(`Required workflow "${name}" has not completed. (workflows, ruleset "Checked")`),
  );
  expect((await tested(number)).mergeable_state).toBe('blocked');
  const { body: checks } = await client.get(`${base}/commits/${head}/check-runs`);
  expect(checks.check_runs).toMatchObject([{ name: 'check', status: 'queued' }]);
  await runNext('failure');
  expect(await merge(number)).toMatchObject(refusal(`"${name}" did not succeed: its run ended with failure.`));
  const [run] = await runs();
  expect((await client.post(`${base}/actions/runs/${run.id}/rerun`)).status).toBe(201);
  expect(await merge(number)).toMatchObject(refusal('has not completed'));
  await runNext('success');
  expect((await tested(number)).mergeable_state).toBe('clean');
  expect(await merge(number)).toMatchObject(merged);
});

test('an earlier success does not count again by the deletion of the failure after it', async () => {
  const { propose, merge, runs, runNext, client, base } = await requiredSetting(w);
  const { number } = await propose('topic');
  await runNext('success');
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await client.patch(`${base}/pulls/${number}`, { state: 'open' });
  await w.settle();
  await runNext('failure');
  const [success, failure] = await runs();
  const remove = async ({ id }: { id: number }) => (await client.delete(`${base}/actions/runs/${id}`)).status;
  expect(await remove(failure)).toBe(403);
  expect(await merge(number)).toMatchObject(refusal('did not succeed'));
  expect([await remove(success), await remove(failure)]).toEqual([204, 204]);
  expect(await merge(number)).toMatchObject(refusal('is expected'));
});

test('a job of a required workflow has the rights of the repository that it runs for, and names its file', async () => {
  const { propose, runNext, base, owner, repo, tools, toolsHead, name, client } = await requiredSetting(w);
  await client.patch(`/repos/${owner.login}/${tools.name}`, { private: true });
  await client.patch(base, { private: true });
  await client.put(`/repos/${owner.login}/${tools.name}/actions/permissions/access`, { access_level: 'organization' });
  await propose('topic');
  await runNext('success', async ({ context, secrets }) => {
    expect(context).toMatchObject({
      event_name: 'pull_request',
      repository: `${owner.login}/${repo.name}`,
      head_ref: 'topic',
      workflow_ref: name,
      workflow_sha: toolsHead,
    });
    const job = await w.as(secrets.GITHUB_TOKEN ?? '');
    expect((await job.get(base)).status).toBe(200);
    expect((await job.get(`/repos/${owner.login}/${tools.name}`)).status).toBe(404);
  });
});

test('a group of runners for a workflow takes its jobs wherever it is required', async () => {
  const { propose, owner, tools, repo, client } = await requiredSetting(w);
  const runner = await startRunnerOf(w, { organization: owner.id }, { name: fresh('runner') });
  const group = (repository: string, ref: string) =>
    client.post(`/orgs/${owner.login}/actions/runner-groups`, {
      name: fresh('group'),
      allows_public_repositories: true,
      runners: [runner.id],
      restricted_to_workflows: true,
      selected_workflows: [`${owner.login}/${repository}/${checkPath}@${ref}`],
    });
  await propose('topic');
  for (const [repository, ref] of [
    [repo.name, 'main'],
    [tools.name, 'other'],
  ] as const) {
    expect((await group(repository, ref)).status).toBe(201);
    expect(await runner.fetch()).toBeUndefined();
  }
  await group(tools.name, 'main');
  expect((await runner.fetch())?.context).toMatchObject({ repository: `${owner.login}/${repo.name}` });
});

test('a private repository must share its workflows with the one that they are required of', async () => {
  const { propose, runs, merge, client, owner, tools, base, runNext } = await requiredSetting(w, { visibility: 'private' });
  const { number } = await propose('topic');
  expect(await runs()).toEqual([]);
  const hidden = `Required workflow "${checkPath}" was not found, or the repository ${tools.id} does not share it.`;
  expect(await merge(number)).toMatchObject(refusal(hidden));
  await client.put(`/repos/${owner.login}/${tools.name}/actions/permissions/access`, { access_level: 'organization' });
  expect(await merge(number)).toMatchObject(refusal('is expected.'));
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await client.patch(`${base}/pulls/${number}`, { state: 'open' });
  expect(await runs()).toMatchObject([{ event: 'pull_request', status: 'queued' }]);
  await runNext('success');
  expect(await merge(number)).toMatchObject(merged);
});

test.each([
  ['paths', 'paths: [docs/**]'],
  ['branches', 'branches: [other]'],
  ['types', 'types: [labeled]'],
])('filters of the file keep no required workflow from running: %s', async (_, filter) => {
  const { propose, runs } = await requiredSetting(w, { file: checkFile.replace(/on: .*/, `on: {pull_request: {${filter}}}`) });
  await propose('topic');
  expect(await runs()).toMatchObject([{ event: 'pull_request', status: 'queued' }]);
});

test('neither a message nor the files of the repository keep a required workflow from running', async () => {
  const { propose, runs, name, client, base, commit } = await requiredSetting(w);
  const own = checkFile.replace('name: Check', 'name: Own');
  await propose('topic', { [checkPath]: own }, 'Change it [skip ci]');
  expect((await runs()).map(({ path }: { path: string }) => path)).toEqual([name]);
  await commit('topic', { 'x.txt': 'x' }, 'Another one');
  expect((await runs()).map(({ path }: { path: string }) => path).sort()).toEqual([name, checkPath, name].sort());
  const { body: workflows } = await client.get(`${base}/actions/workflows`);
  const required = workflows.workflows.find(({ path }: { path: string }) => path === name);
  expect(required.html_url).toMatch(new RegExp(`/blob/main/${checkPath}$`));
  expect(required.html_url).toContain(name.slice(0, name.indexOf('/.')));
  expect(await client.put(`${base}/actions/workflows/${required.id}/disable`)).toMatchObject({
    status: 422,
    body: { message: 'Rulesets decide whether a workflow of another repository runs' },
  });
});

test('a pinned commit decides which file runs, and another pin needs another run', async () => {
  const { propose, runs, merge, runNext, tools, toolsHead, client, ruleset, owner } = await requiredSetting(w);
  const changed = await commitFiles(w, tools, { [checkPath]: checkFile.replace('name: Check', 'name: Changed') });
  const pin = (workflow: object) =>
    client.put(`/orgs/${owner.login}/rulesets/${ruleset.id}`, {
      rules: [{ type: 'workflows', parameters: { workflows: [{ repository_id: tools.id, path: checkPath, ...workflow }] } }],
    });
  expect((await pin({ sha: toolsHead, ref: 'main' })).status).toBe(200);
  const { number } = await propose('topic');
  const full = `${owner.login}/${tools.name}/${checkPath}`;
  expect(await runs()).toMatchObject([{ name: 'Check', path: `${full}@${toolsHead}` }]);
  await runNext('success');
  await pin({ sha: changed });
  expect(await merge(number)).toMatchObject(refusal(`Required workflow "${full}@${changed}" is expected.`));
  await pin({ ref: 'refs/tags/v1' });
  expect(await merge(number)).toMatchObject(refusal(`"${checkPath}" was not found`));
  await client.post(`/repos/${owner.login}/${tools.name}/git/refs`, { ref: 'refs/tags/v1', sha: changed });
  await propose('second');
  expect((await runs()).at(-1)).toMatchObject({ name: 'Changed', path: `${full}@refs/tags/v1` });
  // A short name means the tag, or a branch where there is none.
  await pin({ ref: 'v1' });
  const third = await propose('third');
  expect((await runs()).at(-1)).toMatchObject({ path: `${full}@refs/tags/v1`, head_sha: third.head });
  await pin({ ref: 'main' });
  const fourth = await propose('fourth');
  expect((await runs()).at(-1)).toMatchObject({ path: `${full}@refs/heads/main`, head_sha: fourth.head });
});

test('a ruleset that is only evaluated runs its workflows, and refuses nothing', async () => {
  const { propose, merge, runs, client, base } = await requiredSetting(w, { enforcement: 'evaluate' });
  const { number } = await propose('topic');
  expect(await runs()).toMatchObject([{ event: 'pull_request' }]);
  expect(await merge(number)).toMatchObject(merged);
  const { body: suites } = await client.get(`${base}/rulesets/rule-suites`);
  expect(suites).toMatchObject([{ result: 'pass', evaluation_result: 'fail' }]);
  const { body: suite } = await client.get(`${base}/rulesets/rule-suites/${suites[0].id}`);
  expect(suite.rule_evaluations).toMatchObject([{ rule_type: 'workflows', enforcement: 'evaluate', result: 'fail' }]);
});

test('a push needs a commit for which the workflow has succeeded', async () => {
  const { propose, runNext, pushCommit, client, base, tip } = await requiredSetting(w);
  expect(await client.put(`${base}/contents/x.txt`, { message: 'x', content: 'eA==' })).toMatchObject({
    status: 409,
    body: { message: expect.stringMatching(/Required workflow ".*" is expected\./) },
  });
  const { head } = await propose('topic');
  await expect(pushCommit('main', head)).rejects.toThrow('has not completed');
  await runNext('success');
  await pushCommit('main', head);
  expect(await tip('main')).toBe(head);
});

test('who asks what a push would meet is told of the workflow, and who may bypass the rule passes', async () => {
  const { name, owner, repo, ada, client, rulesetPath, merge, propose, unpushed, pushCommit } = await requiredSetting(w);
  await pushCommit('topic', await unpushed('main', { 'x.txt': 'x' }));
  const token = await w.token(ada);
  const ask = () =>
    explainPush({
      db: w.db,
      services: w.hearth.services,
      authorization: `Bearer ${token}`,
      owner: owner.login,
      name: repo.name,
      ref: 'main',
      to: 'topic',
      now: w.clock.now,
    });
  const because = `Required workflow "${name}" is expected.`;
  const check = 'workflows, ruleset "Checked"';
  expect(await ask()).toMatchObject({ allowed: false, steps: [{ check: 'access' }, { check, passed: false, because }] });
  await client.put(rulesetPath, { bypass_actors: [{ actor_type: 'OrganizationAdmin', bypass_mode: 'always' }] });
  expect(await ask()).toMatchObject({
    allowed: true,
    steps: [{ check: 'access' }, { check, passed: true, because: `${because} It may be bypassed` }],
  });
  const { number } = await propose('second');
  expect(await merge(number)).toMatchObject(merged);
});

test('a new branch needs it too, unless the rule says otherwise', async () => {
  const { client, base, first, rulesetPath, tools } = await requiredSetting(w);
  const require = (more: object) =>
    client.put(rulesetPath, {
      conditions: { ref_name: { include: ['refs/heads/release/*'] }, repository_name: { include: ['~ALL'] } },
      rules: [{ type: 'workflows', parameters: { workflows: [{ repository_id: tools.id, path: checkPath }], ...more } }],
    });
  await require({});
  const create = () => client.post(`${base}/git/refs`, { ref: 'refs/heads/release/1', sha: first });
  expect(await create()).toMatchObject({ status: 422, body: { message: expect.stringContaining('is expected.') } });
  await require({ do_not_enforce_on_create: true });
  expect((await create()).status).toBe(201);
});

test('a merge queue waits for the workflow to run for its groups', async () => {
  const { propose, runs, runNext, client, base, tip } = await requiredSetting(w, {
    rules: [{ type: 'merge_queue', parameters: defaults }],
  });
  const entryOf = async (number: number) => (await client.get(`${base}/pulls/${number}/queue-entry`)).body;
  const { number } = await propose('topic');
  const enqueue = (of: number) => client.put(`${base}/pulls/${of}/queue-entry`);
  expect(await enqueue(number)).toMatchObject(refusal('has not completed'));
  await runNext('success');
  expect((await enqueue(number)).status).toBe(201);
  const [, run] = await runs();
  const { merge_group: group, state } = await entryOf(number);
  expect({ state, event: run.event, sha: run.head_sha }).toEqual({
    state: 'awaiting_checks',
    event: 'merge_group',
    sha: group.head_sha,
  });
  await runNext('success');
  expect(await entryOf(number)).toMatchObject({ state: 'merged' });
  expect(await tip('main')).toBe(group.head_sha);
  const second = await propose('second');
  await runNext('success');
  await enqueue(second.number);
  await w.settle();
  await runNext('failure');
  expect(await entryOf(second.number)).toMatchObject({ state: 'removed', removal_reason: 'CI_FAILURE' });
});

test("a pull request with the commit of a queue's group makes no run that counts for the group", async () => {
  const { propose, runs, runNext, client, base, repo, tested, ada, name } = await requiredSetting(w, {
    file: checkFile.replace('    runs-on', `    if: \${{ github.event_name == 'merge_group' }}\n    runs-on`),
    rules: [{ type: 'merge_queue', parameters: defaults }],
  });
  const { number } = await propose('topic');
  expect((await client.put(`${base}/pulls/${number}/queue-entry`)).status).toBe(201);
  await w.settle();
  const entry = async () => (await client.get(`${base}/pulls/${number}/queue-entry`)).body;
  const { head_sha: head } = (await entry()).merge_group;
  // Whoever can fetch the commit can propose it. All jobs of such a run may be skipped.
  await push(w, ada, repo, 'copy', head);
  const { status } = await client.post(`${base}/pulls`, { title: 'Copy', head: 'copy', base: 'main' });
  expect(status).toBe(201);
  expect((await runs()).map(({ event, conclusion }: Record<string, string>) => [event, conclusion])).toEqual([
    ['pull_request', 'skipped'],
    ['merge_group', null],
    ['pull_request', 'skipped'],
  ]);
  await w.settle();
  expect(await entry()).toMatchObject({ state: 'awaiting_checks' });
  expect((await tested(number)).merged).toBe(false);
  await runNext('failure');
  expect(await entry()).toMatchObject({
    state: 'removed',
    removal_message: expect.stringContaining(`"${name}" did not succeed`),
  });
});

test('a merge queue does not wait for a file that names no event of groups', async () => {
  const { propose, runNext, client, base, name } = await requiredSetting(w, {
    file: checkFile.replace(', merge_group', ''),
    rules: [{ type: 'merge_queue', parameters: defaults }],
  });
  const { number } = await propose('topic');
  await runNext('success');
  await client.put(`${base}/pulls/${number}/queue-entry`);
  await w.settle();
  expect((await client.get(`${base}/pulls/${number}/queue-entry`)).body).toMatchObject({
    state: 'removed',
    removal_message: `Required workflow "${name}" cannot run: its file does not name the event merge_group.`,
  });
});

test('a file with pull_request_target runs from its own repository, and one with both events once', async () => {
  const setting = await requiredSetting(w, { file: checkFile.replace(/on: .*/, 'on: pull_request_target') });
  const { number } = await setting.propose('topic', {}, 'Not now [skip ci]');
  expect(await setting.runs()).toMatchObject([{ event: 'pull_request_target', path: setting.name }]);
  await setting.runNext('success');
  expect(await setting.merge(number)).toMatchObject(merged);
  await commitFiles(w, setting.tools, { [checkPath]: checkFile.replace(/on: .*/, 'on: [pull_request, pull_request_target]') });
  await setting.propose('second');
  expect((await setting.runs()).slice(1)).toMatchObject([{ event: 'pull_request' }]);
});

test("a run of a fork's pull request waits for an approval", async () => {
  const setting = await requiredSetting(w);
  const fork = await forkSetting(w, setting, await w.user());
  await fork.commit('topic');
  const { body: pull } = await fork.open('topic');
  expect(await setting.runs()).toMatchObject([{ event: 'pull_request', conclusion: 'action_required' }]);
  expect(await setting.merge(Number(pull.number))).toMatchObject(refusal('waits for an approval'));
  const [run] = await setting.runs();
  expect((await setting.client.post(`${setting.base}/actions/runs/${run.id}/approve`)).status).toBe(201);
  await w.settle();
  await setting.runNext('success');
  expect(await setting.merge(Number(pull.number))).toMatchObject(merged);
});

test('a run counts for its own pull request, and for the base that it was made for', async () => {
  const { commit, open, merge, runs, runNext, client, base, rulesetPath } = await requiredSetting(w);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/other', sha: await commit('other', { 'other.txt': 'x' }) });
  await commit('topic', { 'topic.txt': 'x' });
  const number = await open('topic', { base: 'other' });
  expect(await runs()).toEqual([]);
  await client.patch(`${base}/pulls/${number}`, { base: 'main' });
  expect(await merge(number)).toMatchObject(refusal('is expected.'));
  expect(await runs()).toMatchObject([{ event: 'pull_request' }]);
  await runNext('success');
  await client.put(rulesetPath, {
    conditions: { ref_name: { include: ['~ALL'], exclude: ['refs/heads/topic*'] }, repository_name: { include: ['~ALL'] } },
  });
  await client.patch(`${base}/pulls/${number}`, { base: 'other' });
  expect(await merge(number)).toMatchObject(refusal('is expected.'));
  expect(await runs()).toHaveLength(2);
  await runNext('success');
  expect(await merge(number)).toMatchObject(merged);
});

test('calls in a required file are of its own repository', async () => {
  const called = 'on: workflow_call\njobs: {own: {runs-on: ubuntu-latest, steps: [{run: x}]}}\n';
  const { tools, propose, runs, runNext, merge, owner } = await requiredSetting(w);
  const calling = 'on: pull_request\njobs: {call: {uses: ./.github/workflows/called.yml}}\n';
  const commit = await commitFiles(w, tools, { [checkPath]: calling, '.github/workflows/called.yml': called });
  const { number } = await propose('topic', { '.github/workflows/called.yml': called.replace('own', 'other') });
  expect(await runs()).toMatchObject([
    {
      status: 'queued',
      referenced_workflows: [{ path: `${owner.login}/${tools.name}/.github/workflows/called.yml@${commit}`, sha: commit }],
    },
  ]);
  await runNext('success');
  expect(await merge(number)).toMatchObject(merged);
});

test("a repository may require a workflow of its own branch, which a pull request doesn't change", async () => {
  const { client, base, repo, open, runs, commit, rulesetPath, unpushed, pushCommit } = await requiredSetting(w);
  await client.delete(rulesetPath);
  await commit('main', { [checkPath]: checkFile });
  const { status } = await client.post(`${base}/rulesets`, {
    name: 'Own',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [{ type: 'workflows', parameters: { workflows: [{ repository_id: repo.id, path: checkPath }] } }],
  });
  expect(status).toBe(201);
  await pushCommit('topic', await unpushed('main', { [checkPath]: 'on: push\njobs: {}\n' }));
  await open('topic');
  expect((await runs()).filter(({ event }: { event: string }) => event === 'pull_request')).toMatchObject([
    { name: 'Check', conclusion: null },
  ]);
});

test('a file that cannot be read makes a failed run, and one of an owner who has left refuses everything', async () => {
  const { propose, runs, merge, tools, toolsHead, runNext, client, base, ada, owner, name } = await requiredSetting(w);
  await commitFiles(w, tools, { [checkPath]: 'on: pull_request\njobs: {a: {steps: [{run: x}]}}\n' });
  const { number, head } = await propose('topic');
  expect(await runs()).toMatchObject([{ conclusion: 'startup_failure', path: name }]);
  expect(await merge(number)).toMatchObject(refusal('its run ended with startup_failure'));
  const { body: checks } = await client.get(`${base}/commits/${head}/check-runs`);
  expect(checks.check_runs).toMatchObject([{ conclusion: 'failure', output: { title: 'The workflow file cannot be run' } }]);
  await commitFiles(w, tools, { [checkPath]: checkFile });
  expect(toolsHead).toMatch(/^[0-9a-f]{40}$/);
  const second = await propose('second');
  await runNext('success');
  await client.post(`/repos/${owner.login}/${tools.name}/transfer`, { new_owner: ada.login, new_name: fresh('taken') });
  await w.settle();
  expect(await merge(second.number)).toMatchObject(refusal(`"${checkPath}" was not found`));
});

test('looking for workflows and asking for their runs costs the same however many are required', async () => {
  const { propose, merge, runs, runNext, client, rulesetPath, owner, ada, tools } = await requiredSetting(w, {
    visibility: 'private',
  });
  const more = await Promise.all([1, 2, 3].map(() => w.repo(owner, { name: fresh('more'), visibility: 'private', by: ada })));
  for (const { name } of [tools, ...more])
    await client.put(`/repos/${owner.login}/${name}/actions/permissions/access`, { access_level: 'organization' });
  const require = (workflows: object[]) => client.put(rulesetPath, { rules: [{ type: 'workflows', parameters: { workflows } }] });
  const costOf = async (number: number) => (await countStatements(() => merge(number))).statements.length;
  const one = { repository_id: tools.id, path: checkPath };
  const others = more.map(({ id }) => ({ repository_id: id, path: checkPath }));
  await require([one]);
  const { number } = await propose('topic');
  const withRun = await costOf(number);
  await require([{ ...one, ref: 'other' }]);
  const withoutRun = await costOf(number);
  await require([one, ...others]);
  // None of the others has a file.
  expect(await costOf(number)).toBe(withoutRun);
  for (const repo of more) await commitFiles(w, repo, { [checkPath]: checkFile });
  const second = await propose('second');
  expect((await runs()).filter(({ head_sha }: { head_sha: string }) => head_sha === second.head)).toHaveLength(4);
  expect(await costOf(second.number)).toBe(withRun);
  await runNext('success');
  expect(await merge(second.number)).toMatchObject(refusal('has not completed'));
});

test('where Actions are disabled, the rule says so', async () => {
  const { propose, runs, merge, client, base } = await requiredSetting(w);
  await client.put(`${base}/actions/permissions`, { enabled: false });
  const { number } = await propose('topic');
  expect(await runs()).toEqual([]);
  expect(await merge(number)).toMatchObject(refusal('cannot run: Actions are disabled in this repository.'));
});
