// Searches of issues that find pull requests, by each qualifier that is about them.
import { Octokit } from 'octokit';
import { beforeAll, describe, expect, test } from 'vitest';
import { checker } from '#test/resources/code/checks/setting.ts';
import { pullSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });
const setting = await pullSetting(w);
const { client, base, repo, ada } = setting;
const inRepo = `repo:${ada.login}/${repo.name}`;

/** The numbers of all issues and pull requests, by what they are called here. */
const numbers = new Map<number, string>();
const shas: Record<string, string> = {};

/** What a query finds in the repository, by name. */
async function found(q: string, as = client): Promise<string[]> {
  const { body } = await as.get(`/search/issues?per_page=100&q=${encodeURIComponent(`${q} ${inRepo}`)}`);
  expect(body.items).toHaveLength(body.total_count);
  return body.items.map(({ number }: { number: number }) => numbers.get(number) ?? '?').toSorted();
}

const grace = await w.user();
const asGrace = await w.as(grace);
let teamName = '';

beforeAll(async () => {
  const issue = await client.post(`${base}/issues`, { title: 'The pump leaks' });
  numbers.set(issue.body.number, 'issue');
  const open = async (name: string, head: string, more: object) => {
    shas[name] = await setting.commit(head, { [`${name}.txt`]: `${name}\n` });
    numbers.set(await setting.open(head, more), name);
  };
  await open('leak', 'fix/pump-leak', { title: 'Seal the pump', body: `Closes #${issue.body.number}. See @${ada.login}` });
  await open('paint', 'paint', { title: 'Paint the pump', draft: true });
  await open('merged', 'gasket', { title: 'A new gasket' });
  await open('dropped', 'fixture', { title: 'Drop the pump' });
  await setting.commit('next', { 'next.txt': 'n\n' });
  shas.next = await setting.commit('into-next', { 'next.txt': 'n\n', 'b.txt': 'b\n' });
  numbers.set(await setting.open('into-next', { title: 'For the next one', base: 'next' }), 'next');
  const numberOf = (wanted: string) => [...numbers].find(([, name]) => name === wanted)?.[0];
  await setting.tested(numberOf('merged') ?? 0);
  const merge = await client.put(`${base}/pulls/${numberOf('merged')}/merge`, {});
  expect(merge.status).toBe(200);
  shas.merge = merge.body.sha;
  await client.patch(`${base}/pulls/${numberOf('dropped')}`, { state: 'closed' });
  await client.post(`${base}/issues/${numberOf('leak')}/labels`, { labels: ['bug'] });
  await client.post(`${base}/statuses/${shas.leak}`, { state: 'failure', context: 'build' });
  await client.post(`${base}/statuses/${shas.paint}`, { state: 'success', context: 'build' });
  await client.post(`${base}/statuses/${shas.paint}`, { state: 'pending', context: 'lint' });
  await client.post(`${base}/statuses/${shas.next}`, { state: 'pending', context: 'lint' });
  await client.post(`${base}/statuses/${shas.next}`, { state: 'success', context: 'lint' });
  for (const [name, event] of Object.entries({ leak: 'REQUEST_CHANGES', paint: 'APPROVE', next: 'COMMENT' }))
    await asGrace.post(`${base}/pulls/${numberOf(name)}/reviews`, { event, body: 'Seen.' });
  await client.post(`${base}/pulls/${numberOf('dropped')}/reviews`, { body: 'Not yet submitted.' });
  const org = await w.org(ada);
  const team = (await client.post(`/orgs/${org.login}/teams`, { name: 'Crew', privacy: 'secret' })).body;
  await client.put(`/orgs/${org.login}/teams/${team.slug}/memberships/${ada.login}`, {});
  teamName = `${org.login}/${team.slug}`;
  const { id: dropped } = (await client.get(`${base}/issues/${numberOf('dropped')}`)).body;
  const { id: next } = (await client.get(`${base}/issues/${numberOf('next')}`)).body;
  const created_at = w.clock.now;
  await w.db.insertInto('review_requests').values({ issue_id: dropped, user_id: grace.id, team_id: null, created_at }).execute();
  await w.db.insertInto('review_requests').values({ issue_id: next, user_id: null, team_id: team.id, created_at }).execute();
  await w.settle();
});

test('reviews and requests for them', async () => {
  expect(await found('review:changes_requested')).toEqual(['leak']);
  expect(await found('review:approved')).toEqual(['paint']);
  expect(await found('review:none')).toEqual(['dropped', 'merged', 'next']);
  expect(await found('review:required')).toEqual([]); // no rule wants any
  expect(await found(`reviewed-by:${grace.login}`)).toEqual(['leak', 'next', 'paint']);
  expect(await found(`reviewed-by:${ada.login}`)).toEqual([]);
  expect(await found(`-reviewed-by:${grace.login} is:pr`)).toEqual(['dropped', 'merged']);
  expect(await found(`review-requested:${grace.login}`)).toEqual(['dropped']);
  expect(await found(`user-review-requested:${ada.login}`)).toEqual([]);
  expect(await found('review-requested:@me')).toEqual(['next']);
  expect(await found(`team-review-requested:${teamName}`)).toEqual(['next']);
  // Who may not see the team doesn't learn of its requests.
  const path = (q: string) => `/search/issues?q=${encodeURIComponent(`${q} ${inRepo}`)}`;
  const total = async (q: string) => (await asGrace.get(path(q))).body.total_count;
  expect([await total(`team-review-requested:${teamName}`), await total(`review-requested:${ada.login}`)]).toEqual([0, 0]);
});

const pulls = ['dropped', 'leak', 'merged', 'next', 'paint'];

test.each([
  ['is:pr', pulls],
  ['is:pull-request', pulls],
  ['type:pr', pulls],
  ['is:issue', ['issue']],
  ['-is:pr', ['issue']],
  ['-is:issue', pulls],
  ['pump', ['dropped', 'issue', 'leak', 'paint']],
  ['pump is:pr is:open', ['leak', 'paint']],
  ['"seal the pump"', ['leak']],
  ['is:merged', ['merged']],
  ['is:unmerged', ['dropped', 'leak', 'next', 'paint']],
  ['is:unmerged is:closed', ['dropped']],
  ['is:closed', ['dropped', 'merged']],
  ['is:pr state:open', ['leak', 'next', 'paint']],
  ['is:draft', ['paint']],
  ['draft:true', ['paint']],
  ['draft:false', ['dropped', 'leak', 'merged', 'next']],
  ['-is:draft is:open', ['issue', 'leak', 'next']],
  ['merged:2026-01-01', ['merged']],
  ['merged:<2026-01-01', []],
  ['merged:>=2025', ['merged']],
  ['-merged:>=2025 is:pr', ['dropped', 'leak', 'next', 'paint']],
  ['head:fix/pump-leak', ['leak']],
  ['head:fix/pump', ['leak']],
  ['head:fix', ['leak']],
  ['head:FIXTURE', ['dropped']],
  ['head:pump-leak', []],
  ['base:next', ['next']],
  ['base:main', ['dropped', 'leak', 'merged', 'paint']],
  ['base:mai', []],
  ['linked:pr', ['issue']],
  ['linked:issue', ['leak']],
  ['-linked:issue is:pr', ['dropped', 'merged', 'next', 'paint']],
  ['status:failure', ['leak']],
  ['status:pending', ['paint']],
  ['status:success', ['next']],
  ['-status:failure is:issue', ['issue']],
  ['label:bug', ['leak']],
  [`author:${ada.login} is:pr`, pulls],
  [`mentions:${ada.login}`, ['leak']],
  [`involves:${ada.login} is:pr label:bug`, ['leak']],
  ['-review:approved is:issue', ['issue']],
])('%s', async (q, expected) => {
  expect(await found(q)).toEqual(expected);
});

test('commits: the head and the merge, by their names and their first digits', async () => {
  const { leak = '', merge = '', merged = '' } = shas;
  expect(await found(leak)).toEqual(['leak']);
  expect(await found(leak.slice(0, 7))).toEqual(['leak']);
  expect(await found(`sha:${leak.slice(0, 7)}`)).toEqual(['leak']);
  expect(await found(`sha:${merge} is:merged`)).toEqual(['merged']);
  expect(await found(`${merged} is:pr`)).toEqual(['merged']);
  expect(await found(`sha:${leak} is:issue`)).toEqual([]);
  expect(await found(`-sha:${leak} is:pr`)).toEqual(pulls.filter((name) => name !== 'leak'));
  expect(await found(`NOT ${leak} is:pr`)).toEqual(pulls.filter((name) => name !== 'leak'));
  expect(await found(leak.slice(0, 6))).toEqual([]);
  expect(await found(`${leak} in:title`)).toEqual([]);
  expect((await client.get(`/search/issues?q=sha:xyz`)).status).toBe(422);
});

test('all of them are found by unmodified Octokit, in both grammars', async () => {
  const octokit = new Octokit({ auth: await w.token(ada), baseUrl: `${w.url}/api/v3`, throttle: { enabled: false } });
  const { data } = await octokit.rest.search.issuesAndPullRequests({ q: `is:pr is:open draft:false base:main ${inRepo}` });
  expect(data).toMatchObject({ total_count: 1, incomplete_results: false });
  const [item] = data.items;
  expect(item).toMatchObject({ title: 'Seal the pump', draft: false, state: 'open', pull_request: { merged_at: null } });
  expect(item?.html_url).toBe(`${w.url}/${ada.login}/${repo.name}/pull/${item?.number}`);
  expect(item?.pull_request?.url).toBe(`${w.url}/api/v3${base}/pulls/${item?.number}`);
  const q = `${inRepo} (is:merged OR is:draft)`;
  const advanced = await octokit.rest.search.issuesAndPullRequests({ q, advanced_search: 'true' });
  expect(advanced.data.items.map(({ number }) => numbers.get(number)).toSorted()).toEqual(['merged', 'paint']);
  expect(advanced.data.items.map(({ pull_request }) => typeof pull_request?.merged_at).toSorted()).toEqual(['object', 'string']);
});

describe('the index follows what happens', () => {
  test('a moved head, a renamed branch, another base, ready and closed', async () => {
    const before = await setting.commit('moving', { 'm.txt': '1\n' });
    const number = await setting.open('moving', { title: 'Movement', draft: true });
    numbers.set(number, 'moving');
    await w.settle();
    expect(await found(`sha:${before} is:draft`)).toEqual(['moving']);
    const after = await setting.commit('moving', { 'm.txt': '2\n' });
    await client.post(`${base}/branches/moving/rename`, { new_name: 'moved' });
    await client.patch(`${base}/pulls/${number}`, { base: 'next', title: 'Motion' });
    await w.settle();
    expect(await found(`sha:${after} base:next motion`)).toEqual(['moving']);
    expect(await found(`sha:${before}`)).toEqual(['moving']);
    expect(await found('head:moved')).toEqual(['moving']);
    expect(await found('head:moving')).toEqual([]);
  });

  test('every commit of a pull request finds it, for as long as it has it', async () => {
    const oldest = await setting.commit('several', { 's.txt': '1\n' });
    const middle = await setting.commit('several', { 's.txt': '2\n' });
    const number = await setting.open('several', { title: 'Several' });
    numbers.set(number, 'several');
    const newest = await setting.commit('several', { 's.txt': '3\n' });
    await w.settle();
    for (const sha of [oldest, middle, newest]) {
      expect(await found(`sha:${sha.slice(0, 7)}`)).toEqual(['several']);
      expect(await found(sha)).toEqual(['several']);
    }
    await push(w, ada, repo, 'several', oldest);
    await w.settle();
    expect([await found(`sha:${oldest}`), await found(`sha:${middle}`)]).toEqual([['several'], []]);
  });

  test('status: goes by statuses and check runs together', async () => {
    const app = await checker(w, ada);
    const sha = await setting.commit('checked', { 'k.txt': 'k\n' });
    numbers.set(await setting.open('checked', { title: 'Checked' }), 'checked');
    await w.settle();
    const states = async () =>
      (await Promise.all(['success', 'failure', 'pending'].map((state) => found(`checked status:${state}`)))).map(
        ({ length }) => length,
      );
    const run = async (wanted: object) =>
      (await app.client.post(`${base}/check-runs`, { name: 'tests', head_sha: sha, ...wanted })).body;
    expect(await states()).toEqual([0, 0, 0]);
    await run({ conclusion: 'neutral' });
    expect(await states()).toEqual([1, 0, 0]);
    const { id } = await run({ status: 'in_progress' });
    expect(await states()).toEqual([0, 0, 1]);
    for (const conclusion of ['failure', 'timed_out', 'cancelled', 'action_required']) {
      await app.client.patch(`${base}/check-runs/${id}`, { conclusion });
      expect(await states()).toEqual([0, 1, 0]);
    }
    await app.client.patch(`${base}/check-runs/${id}`, { conclusion: 'skipped' });
    expect(await states()).toEqual([1, 0, 0]);
    await client.post(`${base}/statuses/${sha}`, { state: 'pending', context: 'build' });
    expect(await states()).toEqual([0, 0, 1]);
    await client.post(`${base}/statuses/${sha}`, { state: 'error', context: 'build' });
    expect(await states()).toEqual([0, 1, 0]);
  });

  test('an issue that becomes a pull request', async () => {
    const { body } = await client.post(`${base}/issues`, { title: 'Becoming' });
    numbers.set(body.number, 'becoming');
    await w.settle();
    expect(await found('becoming is:issue')).toEqual(['becoming']);
    await setting.commit('become', { 'c.txt': 'c\n' });
    await client.post(`${base}/pulls`, { issue: body.number, head: 'become', base: 'main' });
    await w.settle();
    expect(await found('becoming is:issue')).toEqual([]);
    expect(await found('becoming is:pr')).toEqual(['becoming']);
  });
});

describe('what a credential may not read is neither found nor counted', () => {
  const names = async (token: string, q: string, where: string) => {
    const path = `/search/issues?q=${encodeURIComponent(`${q} repo:${where}`)}`;
    const { status, body } = await (await w.as(token)).get(path);
    return status === 200 ? body.items.map(({ title }: { title: string }) => title).toSorted() : status;
  };

  test('issues and pull requests of a private repository need a permission each', async () => {
    const hidden = await pullSetting(w, { visibility: 'private' as 'public' });
    const where = `${hidden.ada.login}/${hidden.repo.name}`;
    const { body: issue } = await hidden.client.post(`${hidden.base}/issues`, { title: 'An issue' });
    const sha = await hidden.commit('one', { 'x.txt': 'x\n' });
    await hidden.open('one', { title: 'A pull request', body: `Fixes #${issue.number}` });
    await hidden.client.post(`${hidden.base}/statuses/${sha}`, { state: 'success' });
    await w.settle();
    const tokenWith = (permissions: Record<string, string>) =>
      w.fineGrained(hidden.ada, hidden.ada, { metadata: 'read', ...permissions });
    const issues = await tokenWith({ issues: 'read' });
    const pulls = await tokenWith({ pull_requests: 'read' });
    const both = await tokenWith({ issues: 'read', pull_requests: 'read' });
    const statuses = await tokenWith({ pull_requests: 'read', statuses: 'read' });
    const none = await tokenWith({ contents: 'read' });
    const created = 'created:>2020';
    expect(await names(both, created, where)).toEqual(['A pull request', 'An issue']);
    expect(await names(issues, created, where)).toEqual(['An issue']);
    expect(await names(pulls, created, where)).toEqual(['A pull request']);
    expect(await names(issues, 'is:pr', where)).toEqual([]);
    expect(await names(issues, '-is:issue', where)).toEqual([]);
    expect(await names(pulls, `issue OR "an issue"`, where)).toEqual([]);
    expect(await names(none, created, where)).toBe(422);
    expect(await names(both, 'linked:pr', where)).toEqual(['An issue']);
    expect(await names(issues, 'linked:pr', where)).toEqual([]);
    expect(await names(pulls, 'linked:issue', where)).toEqual([]);
    expect(await names(statuses, 'status:success', where)).toEqual(['A pull request']);
    expect(await names(pulls, 'status:success', where)).toEqual([]);
    // Statuses and checks need a permission each: what may not be read doesn't count.
    const app = await checker(w, hidden.ada);
    await app.client.post(`${hidden.base}/check-runs`, { name: 'tests', head_sha: sha, conclusion: 'failure' });
    const checks = await tokenWith({ pull_requests: 'read', checks: 'read' });
    expect(await names(statuses, 'status:success', where)).toEqual(['A pull request']);
    expect(await names(checks, 'status:failure', where)).toEqual(['A pull request']);
    expect(await names(checks, 'status:success', where)).toEqual([]);
    expect(await names(pulls, 'status:failure', where)).toEqual([]);
    // Issues that are switched off leave the pull requests.
    await hidden.client.patch(hidden.base, { has_issues: false });
    expect(await names(both, created, where)).toEqual(['A pull request']);
    expect(await names(await w.token(hidden.ada), created, where)).toEqual(['A pull request']);
  });

  test('document 1, rule 9: an app that acts for a user names what it looks for', async () => {
    const app = await installApp(w, { on: ada, permissions: { metadata: 'read', issues: 'read', pull_requests: 'read' } });
    const token = await app.userToken(ada);
    const where = `${ada.login}/${repo.name}`;
    expect(await names(token, 'seal', where)).toBe(422);
    expect(await names(token, 'seal is:pull-request', where)).toEqual(['Seal the pump']);
    expect(await names(token, 'seal is:issue', where)).toEqual([]);
  });
});

test('20 pull requests cost as many statements as one', async () => {
  const busy = await pullSetting(w);
  const where = `repo:${busy.ada.login}/${busy.repo.name}`;
  const counts: number[] = [];
  const made: string[] = [];
  for (const many of [1, 20]) {
    while (made.length < many) {
      const name = `b${made.length}`;
      const sha = await busy.commit(name, { [`${name}.txt`]: `${name}\n` });
      await busy.client.post(`${busy.base}/statuses/${sha}`, { state: 'success' });
      await busy.open(name);
      made.push(name);
    }
    await w.settle();
    const path = `/search/issues?per_page=100&q=${encodeURIComponent(`is:pr merge status:success -linked:issue ${where}`)}`;
    expect((await busy.client.get(path)).body.total_count).toBe(many);
    counts.push(await w.statements(busy.ada, path));
  }
  // The credential; the repository; the hits with their total; whether they may be read, the issues, and their labels.
  expect(counts).toEqual([6, 6]);
});
