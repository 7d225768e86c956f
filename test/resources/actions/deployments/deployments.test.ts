import { expect, test } from 'vitest';
import { listActiveDeploymentEnvironments } from '#resources/actions/deployments/index.ts';
import { setting as checkSetting } from '#test/resources/code/checks/setting.ts';
import { point } from '#test/resources/code/commits/setting.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

async function setting(visibility: 'public' | 'private' = 'public') {
  const pulls = await pullSetting(w, { visibility, ownedBy: 'organization' });
  const { client, base } = pulls;
  const deployments = `${base}/deployments`;
  return {
    ...pulls,
    deployments,
    deploy: (more: object = {}) => client.post(deployments, { ref: 'main', ...more }),
    set: (id: number, more: object) => client.post(`${deployments}/${id}/statuses`, more),
    statesOf: async (id: number) =>
      (await client.get(`${deployments}/${id}/statuses`)).body.map(({ state }: { state: string }) => state),
  };
}

test('a deployment has the commit of its ref at that time, and makes its environment', async () => {
  const { ada, repo, client, base, deployments, first, commit, deploy } = await setting();
  const payload = { z: 1, a: ['ä', { deep: 1.5 }] };
  const wanted = { task: 'migrate', payload, environment: 'Staging', description: 'First', transient_environment: true };
  const { status, body } = await deploy(wanted);
  expect(status).toBe(201);
  const url = `${w.url}/api/v3${deployments}/${body.id}`;
  expect(body).toMatchObject({
    ...wanted,
    url,
    statuses_url: `${url}/statuses`,
    repository_url: `${w.url}/api/v3${base}`,
    sha: first,
    ref: 'main',
    original_environment: 'Staging',
    production_environment: false,
    creator: { login: ada.login },
    performed_via_github_app: null,
    created_at: '2026-01-01T00:00:00Z',
  });
  expect(JSON.stringify(body.payload)).toBe(JSON.stringify(payload));
  await commit('main', { b: '1' });
  expect((await client.get(`${deployments}/${body.id}`)).body).toEqual(body);
  expect((await client.get(`${base}/environments/staging`)).body).toMatchObject({ name: 'Staging', protection_rules: [] });
  // The name of an environment is the one that it was first given.
  expect((await deploy({ environment: 'STAGING' })).body).toMatchObject({ environment: 'Staging', task: 'deploy', payload: '' });
  const { body: production } = await deploy();
  expect(production).toMatchObject({ environment: 'production', production_environment: true, description: '' });
  expect((await deploy({ production_environment: false, description: null, payload: 'text' })).body).toMatchObject({
    production_environment: false,
    description: null,
    payload: 'text',
  });
  const names = await w.db.selectFrom('environments').select('name').where('repository_id', '=', repo.id).orderBy('id').execute();
  expect(names.map(({ name }) => name)).toEqual(['Staging', 'production']);
});

test('branches, tags and commits are deployed, and deployments are listed by all of these, the newest first', async () => {
  const { client, repo, deployments, first, commit, deploy } = await setting();
  await point(w, repo, 'refs/tags/v1', first);
  const tip = await commit('topic', { b: '1' });
  const made = [];
  for (const ref of ['main', 'v1', 'topic', tip, tip.slice(0, 10), 'heads/topic', 'refs/tags/v1'])
    made.unshift(
      (await deploy({ ref, environment: ref === 'main' ? 'production' : 'qa', task: ref === 'v1' ? 'tag' : 'deploy' })).body,
    );
  const shas = made.map(({ sha }) => sha).reverse();
  expect(shas).toEqual([first, first, tip, tip, tip, tip, first]);
  const list = async (query = '') => (await client.get(`${deployments}${query}`)).body;
  expect(await list()).toEqual(made);
  expect(await list('?sha=none&ref=none&task=none&environment=none')).toEqual(made);
  const idsOf = async (query: string) => (await list(query)).map(({ ref }: { ref: string }) => ref);
  expect(await idsOf(`?sha=${first.toUpperCase()}`)).toEqual(['refs/tags/v1', 'v1', 'main']);
  expect(await idsOf('?ref=topic')).toEqual(['topic']);
  expect(await idsOf('?task=tag')).toEqual(['v1']);
  expect(await idsOf('?environment=Production')).toEqual(['main']);
  expect(await idsOf('?environment=qa&per_page=2&page=2')).toEqual([tip.slice(0, 10), tip]);
  expect(await idsOf('?ref=nothing')).toEqual([]);
});

test('bad deployments and statuses are refused, and change nothing', async () => {
  const { deploy, set } = await setting();
  const { body } = await deploy({ environment: 'qa' });
  const bad = [
    { ref: undefined },
    { ref: '' },
    { ref: 'nothing' },
    { ref: '0'.repeat(40) },
    { task: '' },
    { task: 'x'.repeat(256) },
    { environment: '' },
    { environment: ' ' },
    { environment: 'x'.repeat(256) },
    { environment: 'a\nb' },
    { payload: 5 },
    { payload: ['a'] },
    { payload: 'x'.repeat(65_535) },
    { payload: { text: 'x'.repeat(65_536) } },
    { description: 'x'.repeat(1_025) },
    { auto_merge: 'no' },
    { required_contexts: 'tests' },
    { required_contexts: [''] },
    { required_contexts: Array.from({ length: 101 }, (_, at) => `c${at}`) },
    { production_environment: 'yes' },
    { transient_environment: null },
  ];
  const worse = [
    {},
    { state: 'fine' },
    { state: 'success', log_url: 'javascript:alert(1)' },
    { state: 'success', target_url: 'nowhere' },
    { state: 'success', target_url: 'nowhere', log_url: 'https://a.example' },
    { state: 'success', environment_url: 'ftp://a.example' },
    { state: 'success', description: 'x'.repeat(141) },
    { state: 'success', environment: '' },
    { state: 'success', environment: 'x'.repeat(256) },
    { state: 'success', auto_inactive: 'no' },
  ];
  await w.unchanged(['deployments', 'deployment_statuses', 'environments', 'events'], async () => {
    for (const more of bad) expect((await deploy(more)).status, JSON.stringify(more).slice(0, 60)).toBe(422);
    for (const more of worse) expect((await set(body.id, more)).status, JSON.stringify(more)).toBe(422);
    expect((await set(body.id + 1_000_000, { state: 'success' })).status).toBe(404);
  });
});

test('an empty repository has nothing to deploy', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  expect((await client.post(`/repos/${ada.login}/${repo.name}/deployments`, { ref: 'main' })).status).toBe(409);
});

test('a branch that lacks commits of the default branch gets them first; then it is deployed', async () => {
  const { ada, owner, client, base, deployments, commit, tip, deploy } = await setting();
  const topic = await commit('topic', { b: '1' });
  const main = await commit('main', { c: '1' });
  const { status, body } = await deploy({ ref: 'topic' });
  expect([status, body]).toEqual([202, { message: 'Auto-merged main into topic on deployment.' }]);
  const merged = await tip('topic');
  const { body: found } = await client.get(`${base}/commits/${merged}`);
  expect(found.parents.map(({ sha }: { sha: string }) => sha)).toEqual([topic, main]);
  expect((await client.get(deployments)).body).toEqual([]);
  expect((await deploy({ ref: 'topic' })).body).toMatchObject({ sha: merged });
  // The right to deploy is none to write to branches.
  await commit('main', { d: '1' });
  const narrow = await w.as(await w.token(ada, ['repo_deployment']));
  expect((await narrow.post(deployments, { ref: 'topic' })).status).toBe(403);
  const token = await w.as(await w.fineGrained(ada, owner, { deployments: 'write' }));
  expect((await token.post(deployments, { ref: 'topic' })).status).toBe(403);
  expect(await tip('topic')).toBe(merged);
  expect((await token.post(deployments, { ref: 'topic', auto_merge: false })).body).toMatchObject({ sha: merged });
  expect((await token.post(deployments, { ref: merged })).status).toBe(201);
  const both = await w.as(await w.fineGrained(ada, owner, { deployments: 'write', contents: 'write' }));
  expect((await both.post(deployments, { ref: 'topic' })).status).toBe(202);
  // Two sides that can't be merged.
  await commit('topic', { 'a.txt': 'here' });
  await commit('main', { 'a.txt': 'there' });
  await w.unchanged(['deployments', 'events'], async () => {
    expect(await deploy({ ref: 'topic' })).toMatchObject({ status: 409, body: { message: 'Merge conflict' } });
  });
  expect((await deploy({ ref: 'topic', auto_merge: false })).status).toBe(201);
});

test('statuses and check runs of the commit must be successful: all, those that are named, or none', async () => {
  const { client, base, commit, run } = await checkSetting(w);
  const deploy = async (more: object = {}) => (await client.post(`${base}/deployments`, { ref: 'main', ...more })).status;
  const mark = (context: string, state: string) => client.post(`${base}/statuses/${commit}`, { context, state });
  expect(await deploy()).toBe(201);
  expect(await deploy({ required_contexts: ['build'] })).toBe(409);
  await mark('build', 'pending');
  expect([await deploy(), await deploy({ required_contexts: ['build'] }), await deploy({ required_contexts: [] })]).toEqual([
    409, 409, 201,
  ]);
  await mark('build', 'success');
  expect([await deploy(), await deploy({ required_contexts: ['build', 'build'] })]).toEqual([201, 201]);
  await run({ name: 'tests', status: 'in_progress' });
  expect([await deploy(), await deploy({ required_contexts: ['build'] })]).toEqual([409, 201]);
  const refused = await client.post(`${base}/deployments`, { ref: 'main', required_contexts: ['build', 'tests', 'lint'] });
  expect(refused).toMatchObject({
    status: 409,
    body: { errors: [{ field: 'required_contexts', message: 'Not successful: tests, lint' }] },
  });
  await run({ name: 'tests', conclusion: 'neutral' });
  expect([await deploy(), await deploy({ required_contexts: ['build', 'tests'] })]).toEqual([201, 201]);
  // Of one name, all that is said must be good.
  await mark('tests', 'failure');
  expect([await deploy(), await deploy({ required_contexts: ['tests'] })]).toEqual([409, 409]);
});

test('an environment takes the refs that its policy allows, and no others', async () => {
  const { client, repo, base, first, commit, deploy } = await setting();
  await commit('release/1', { b: '1' });
  await point(w, repo, 'refs/tags/v1', first);
  const environment = `${base}/environments/production`;
  const set = (protected_branches: boolean) =>
    client.put(environment, {
      deployment_branch_policy: { protected_branches, custom_branch_policies: !protected_branches },
    });
  const taken = async () => {
    const refs = ['main', 'release/1', 'refs/heads/release/1', 'v1', 'tags/v1', first];
    const statuses = await Promise.all(refs.map(async (ref) => (await deploy({ ref, auto_merge: false })).status));
    return refs.filter((_, at) => statuses[at] === 201);
  };
  await set(false);
  await w.unchanged(['deployments', 'events'], async () => expect(await taken()).toEqual([]));
  await client.post(`${environment}/deployment-branch-policies`, { name: 'release/*' });
  expect(await taken()).toEqual(['release/1', 'refs/heads/release/1']);
  await client.post(`${environment}/deployment-branch-policies`, { name: 'v*', type: 'tag' });
  expect(await taken()).toEqual(['release/1', 'refs/heads/release/1', 'v1', 'tags/v1']);
  expect((await deploy({ ref: 'main' })).body).toMatchObject({
    message: 'Validation Failed',
    errors: [{ resource: 'Deployment', field: 'ref', code: 'custom' }],
  });
  // A branch that is refused isn't merged into either.
  await commit('behind', {});
  await commit('main', { c: '1' });
  expect((await deploy({ ref: 'behind' })).status).toBe(422);
  await set(true);
  expect(await taken()).toEqual(['main', 'release/1', 'refs/heads/release/1']);
  expect((await deploy({ ref: 'v1', environment: 'qa' })).status).toBe(201);
  // What jobs wait for holds up no deployment that the API creates.
  await client.put(environment, { wait_timer: 60, reviewers: [{ type: 'User', id: (await w.user()).id }].slice(1) });
  expect((await deploy()).status).toBe(201);
});

test('statuses tell what became of a deployment, the newest first, and may move it to another environment', async () => {
  const { ada, client, base, deployments, deploy, set, statesOf } = await setting();
  const { body } = await deploy({ environment: 'qa' });
  const { status, body: queued } = await set(body.id, { state: 'queued' });
  expect(status).toBe(201);
  expect(queued).toMatchObject({
    url: `${body.url}/statuses/${queued.id}`,
    deployment_url: body.url,
    repository_url: body.repository_url,
    state: 'queued',
    description: '',
    environment: 'qa',
    creator: { login: ada.login },
    performed_via_github_app: null,
  });
  w.clock.now = new Date('2026-01-02T00:00:00Z');
  const log_url = 'https://ci.example/1';
  const more = {
    state: 'in_progress',
    log_url,
    description: 'Half',
    environment_url: 'https://qa.example',
    environment: 'Canary',
  };
  const { body: running } = await set(body.id, more);
  expect(running).toMatchObject({ ...more, target_url: log_url });
  expect((await set(body.id, { state: 'pending', target_url: log_url })).body).toMatchObject({
    log_url,
    target_url: log_url,
    environment: 'Canary',
  });
  expect((await client.get(`${deployments}/${body.id}`)).body).toMatchObject({
    original_environment: 'qa',
    environment: 'Canary',
    updated_at: '2026-01-02T00:00:00Z',
    created_at: body.created_at,
  });
  expect((await client.get(`${base}/environments/canary`)).status).toBe(200);
  expect((await client.get(`${deployments}/${body.id}/statuses/${running.id}`)).body).toEqual(running);
  for (const state of ['error', 'failure', 'inactive', 'success']) await set(body.id, { state });
  expect(await statesOf(body.id)).toEqual(['success', 'inactive', 'failure', 'error', 'pending', 'in_progress', 'queued']);
  const { body: other } = await deploy();
  expect((await client.get(`${deployments}/${other.id}/statuses/${running.id}`)).status).toBe(404);
});

test('a success makes earlier deployments into its environment inactive that are neither transient nor for production', async () => {
  const { repo, first, deploy, set, statesOf } = await setting();
  const succeed = async (more: object, status: object = {}) => {
    const { body } = await deploy(more);
    await set(body.id, { state: 'success', ...status });
    return body.id;
  };
  const earlier = await succeed({ environment: 'qa' });
  const kept = [
    await succeed({ environment: 'qa2' }),
    await succeed({ environment: 'qa', transient_environment: true }, { auto_inactive: false }),
    await succeed({ environment: 'qa', production_environment: true }, { auto_inactive: false }),
  ];
  const { body: pending } = await deploy({ environment: 'qa' });
  await set(pending.id, { state: 'pending' });
  const active = () => w.change((scope) => listActiveDeploymentEnvironments(scope.tx, repo.id, first));
  expect(await active()).toEqual(['qa', 'qa2']);
  expect(await statesOf(earlier)).toEqual(['success']);
  const next = await succeed({ environment: 'QA' }, { auto_inactive: false });
  expect(await statesOf(earlier)).toEqual(['success']);
  const last = await succeed({ environment: 'qa' });
  expect([await statesOf(earlier), await statesOf(next), await statesOf(last)]).toEqual([
    ['inactive', 'success'],
    ['inactive', 'success'],
    ['success'],
  ]);
  for (const id of kept) expect(await statesOf(id)).toEqual(['success']);
  expect(await statesOf(pending.id)).toEqual(['pending']);
  // One that is older doesn't make newer ones inactive.
  await set(earlier, { state: 'success' });
  expect(await statesOf(last)).toEqual(['success']);
  for (const id of [earlier, last, ...kept]) await set(id, { state: 'failure' });
  expect(await active()).toEqual([]);
  expect(await w.change((scope) => listActiveDeploymentEnvironments(scope.tx, repo.id, '0'.repeat(40)))).toEqual([]);
});

test('successes at the same time leave one active deployment', async () => {
  const { deploy, set, statesOf } = await setting();
  const ids: number[] = [];
  for (let at = 0; at < 6; at++) ids.push((await deploy({ environment: 'qa' })).body.id);
  const made = await Promise.all(ids.map((id) => set(id, { state: 'success' })));
  expect(made.map(({ status }) => status)).toEqual(ids.map(() => 201));
  await set(ids.at(-1) ?? 0, { state: 'success' });
  const latest = await Promise.all(ids.map(async (id) => (await statesOf(id))[0]));
  expect(latest).toEqual([...ids.slice(1).map(() => 'inactive'), 'success']);
});

test('an active deployment is deleted only if it is the only one', async () => {
  const { repo, client, deployments, deploy, set } = await setting();
  const [{ body: one }, { body: two }] = [await deploy(), await deploy({ environment: 'qa' })];
  const remove = async (id: number) => (await client.delete(`${deployments}/${id}`)).status;
  await set(one.id, { state: 'success' });
  await w.unchanged(['deployments', 'deployment_statuses', 'events'], async () => {
    expect([await remove(one.id), await remove(two.id)]).toEqual([422, 422]);
  });
  await set(one.id, { state: 'inactive' });
  expect([await remove(one.id), await remove(one.id)]).toEqual([204, 404]);
  expect(await remove(two.id)).toBe(204);
  expect(await w.db.selectFrom('deployments').select('id').where('repository_id', '=', repo.id).execute()).toEqual([]);
});

test('open pull requests tell in their timelines of deployments of their heads', async () => {
  const { client, base, commit, open, deploy, set } = await setting();
  const tip = await commit('topic', { b: '1' });
  const number = await open('topic');
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
  const { body } = await deploy({ ref: 'topic' });
  await set(body.id, { state: 'success', environment: 'review' });
  await deploy({ ref: 'main' });
  const { body: entries } = await client.get(`${base}/issues/${number}/timeline`);
  expect(entries.slice(-2)).toMatchObject([
    { event: 'deployed', commit_id: tip },
    { event: 'deployment_environment_changed', commit_id: tip },
  ]);
  const { body: events } = await client.get(`${base}/issues/${number}/events`);
  expect(events.map(({ event }: { event: string }) => event)).toEqual(['deployed', 'deployment_environment_changed']);
});

test('deploying needs the right to push, and the scope repo_deployment or the permission; readers read', async () => {
  const { ada, owner, repo, client, deployments, deploy } = await setting('private');
  const [reader, writer, eve] = [await w.user(), await w.user(), await w.user()];
  await w.collaborator(repo, reader, 'read');
  await w.collaborator(repo, writer, 'write');
  const { body } = await deploy();
  const statuses = async (who: Parameters<typeof w.as>[0]) => {
    const own = await w.as(who);
    return [
      (await own.get(deployments)).status,
      (await own.get(`${deployments}/${body.id}/statuses`)).status,
      (await own.post(deployments, { ref: 'main' })).status,
      (await own.post(`${deployments}/${body.id}/statuses`, { state: 'queued' })).status,
      (await own.delete(`${deployments}/${body.id + 1_000_000}`)).status,
    ];
  };
  expect(await statuses(reader)).toEqual([200, 200, 403, 403, 403]);
  expect(await statuses(writer)).toEqual([200, 200, 201, 201, 404]);
  expect(await statuses(eve)).toEqual([404, 404, 404, 404, 404]);
  expect(await statuses(undefined)).toEqual([404, 404, 404, 404, 404]);
  expect(await statuses(await w.token(ada, ['repo_deployment']))).toEqual([200, 200, 201, 201, 404]);
  expect(await statuses(await w.token(ada, ['repo:status']))).toEqual([404, 404, 404, 404, 404]);
  expect(await statuses(await w.fineGrained(ada, owner, { deployments: 'read' }))).toEqual([200, 200, 403, 403, 403]);
  expect(await statuses(await w.fineGrained(ada, owner, { deployments: 'write' }))).toEqual([200, 200, 201, 201, 404]);
  const app = await installApp(w, { on: owner, permissions: { deployments: 'write' } });
  expect(await statuses(app.token)).toEqual([200, 200, 201, 201, 404]);
  const [latest] = (await client.get(deployments)).body;
  expect(latest).toMatchObject({
    creator: { login: app.bot.login },
    performed_via_github_app: { slug: app.bot.login.replace('[bot]', '') },
  });
});

test('hooks are told of deployments and of each status, those of earlier ones that become inactive included', async () => {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  const base = `/repos/${org.login}/${name}`;
  await client.put(`${base}/contents/a`, { message: 'First', content: 'YQ==' });
  await heard(here, target);
  const { body: one } = await client.post(`${base}/deployments`, { ref: 'main', environment: 'qa', payload: { a: 1 } });
  await client.post(`${base}/deployments/${one.id}/statuses`, { state: 'success', log_url: 'https://ci.example' });
  const told = await heard(here, target);
  expect(told).toMatchObject({
    'deployment.created': { deployment: { id: one.id, payload: { a: 1 } }, repository: { name }, sender: { login: owner.login } },
    'deployment_status.created': {
      deployment: { id: one.id },
      deployment_status: { state: 'success', target_url: 'https://ci.example' },
    },
  });
  const { body: two } = await client.post(`${base}/deployments`, { ref: 'main', environment: 'qa' });
  await client.post(`${base}/deployments/${two.id}/statuses`, { state: 'success' });
  await here.settle();
  const sent = target.requests.map(({ body }) => JSON.parse(body));
  const states = sent.flatMap(({ deployment_status: status, deployment }) => (status ? [[deployment.id, status.state]] : []));
  expect(states).toEqual([
    [two.id, 'success'],
    [one.id, 'inactive'],
  ]);
  // Nothing is told of one that is deleted meanwhile.
  await heard(here, target);
  await client.post(`${base}/deployments/${two.id}/statuses`, { state: 'failure' });
  await client.delete(`${base}/deployments/${two.id}`);
  expect(await heard(here, target)).toEqual({});
});

test('lists of deployments and statuses send as many statements for one as for thirty', async () => {
  const { ada, owner, deployments, deploy, set } = await setting();
  const { body } = await deploy({ environment: 'qa' });
  await set(body.id, { state: 'queued' });
  const counts = async () => [
    await w.statements(ada, deployments),
    await w.statements(ada, `${deployments}/${body.id}`),
    await w.statements(ada, `${deployments}/${body.id}/statuses`),
  ];
  const few = await counts();
  expect(few).toEqual([3, 2, 3]);
  const app = await installApp(w, { on: owner, permissions: { deployments: 'write' } });
  const asApp = await w.as(app.token);
  await asApp.post(deployments, { ref: 'main' });
  await asApp.post(`${deployments}/${body.id}/statuses`, { state: 'queued' });
  const more = await counts();
  for (let at = 0; at < 28; at++) {
    await deploy({ environment: `e${at}` });
    await set(body.id, { state: 'queued' });
  }
  expect(await counts()).toEqual(more);
  // The app, and its owner.
  expect(more.map((count, at) => count - (few[at] ?? 0))).toEqual([2, 0, 2]);
});

test('a ruleset that requires deployments lets a branch have only what was deployed with success', async () => {
  const { client, base, commit, open, deploy, set } = await setting();
  const head = await commit('topic', { b: '1' });
  const number = await open('topic');
  const parameters = { required_deployment_environments: ['QA', 'staging'] };
  const conditions = { ref_name: { include: ['refs/heads/main'], exclude: [] } };
  const rules = [{ type: 'required_deployments', parameters }];
  const made = await client.post(`${base}/rulesets`, { name: 'deployed', enforcement: 'active', conditions, rules });
  expect(made.status).toBe(201);
  const update = () => client.patch(`${base}/git/refs/heads/main`, { sha: head });
  const refused = await update();
  expect([refused.status, refused.text.includes('QA, staging')]).toEqual([422, true]);
  const deployTo = async (environment: string) => {
    const { body } = await deploy({ ref: 'topic', environment });
    await set(body.id, { state: 'success' });
    return body.id;
  };
  await deployTo('qa');
  expect((await update()).text).toContain('to staging first');
  expect((await client.put(`${base}/pulls/${number}/merge`)).status).toBe(405);
  const staging = await deployTo('staging');
  await set(staging, { state: 'failure' });
  expect((await update()).status).toBe(422);
  await set(staging, { state: 'success' });
  expect((await client.put(`${base}/pulls/${number}/merge`)).status).toBe(200);
});

test('an environment of protected branches takes all branches while none is protected, and then these alone', async () => {
  const { client, base, commit, deploy } = await setting();
  await commit('topic', { b: '1' });
  await client.put(`${base}/environments/production`, {
    deployment_branch_policy: { protected_branches: true, custom_branch_policies: false },
  });
  const statuses = async () => [(await deploy()).status, (await deploy({ ref: 'topic', auto_merge: false })).status];
  expect(await statuses()).toEqual([201, 201]);
  const protection = {
    required_status_checks: null,
    enforce_admins: null,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  expect((await client.put(`${base}/branches/main/protection`, protection)).status).toBe(200);
  expect(await statuses()).toEqual([201, 422]);
});
