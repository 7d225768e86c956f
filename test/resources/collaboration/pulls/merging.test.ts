import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { pullSetting } from './setting.ts';

const w = await world();
type Message = { commit: { message: string; author: { email: string } }; parents: { sha: string }[] };

test('squash and rebase make the commits that the public API makes', async () => {
  const { client, base, commit, open, tested, first, ada } = await pullSetting(w);
  await commit('squashed', { 'b.txt': 'one\n' }, 'One\n\nBecause.\n');
  const second = await commit('squashed', { 'b.txt': 'two\n' }, 'Two\n');
  const squashed = await open('squashed', { title: 'Both', body: 'Of them.' });
  await tested(squashed);
  const { body } = await client.put(`${base}/pulls/${squashed}/merge`, { merge_method: 'squash', sha: second });
  const { body: one } = (await client.get(`${base}/commits/${body.sha}`)) as { body: Message };
  expect(one.parents.map(({ sha }) => sha)).toEqual([first]);
  expect(one.commit.message).toBe('Both (#1)\n\n* One\n\nBecause.\n\n* Two\n\nCo-authored-by: Ada <ada@example.org>');
  await commit('rebased', { 'c.txt': 'one\n' }, 'One of c');
  await commit('rebased', { 'c.txt': 'two\n' }, 'Two of c');
  const rebased = await open('rebased');
  expect(await tested(rebased)).toMatchObject({ mergeable: true, rebaseable: true, commits: 2 });
  const { body: tip } = await client.put(`${base}/pulls/${rebased}/merge`, { merge_method: 'rebase' });
  const { body: list } = (await client.get(`${base}/commits?per_page=3`)) as { body: (Message & { sha: string })[] };
  expect(list.map(({ commit }) => commit.message)).toEqual(['Two of c', 'One of c', one.commit.message]);
  expect(list[0]).toMatchObject({
    sha: tip.sha,
    commit: { author: { email: 'ada@example.org' } },
    committer: { login: ada.login },
  });
});

test('what can not be merged is refused, and nothing changes', async () => {
  const { client, base, commit, open, tested, tip } = await pullSetting(w);
  await commit('topic', { 'a.txt': '1\n2\nthree\n' });
  const number = await open('topic', { draft: true });
  expect(await tested(number)).toMatchObject({ mergeable_state: 'draft', draft: true });
  const merge = (wanted: object = {}) => client.put(`${base}/pulls/${number}/merge`, wanted);
  expect(await merge()).toMatchObject({ status: 405, body: { message: 'Pull Request is still a draft' } });
  await client.patch(`${base}/pulls/${number}`, { draft: false });
  await client.patch(base, { allow_rebase_merge: false });
  expect(await merge({ merge_method: 'rebase' })).toMatchObject({
    status: 405,
    body: { message: 'Rebase merges are not allowed on this repository.' },
  });
  expect((await merge({ sha: 'a'.repeat(40) })).status).toBe(409);
  await commit('main', { 'a.txt': '1\n2\ndrei\n' });
  const main = await tip('main');
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ mergeable: null, mergeable_state: 'unknown' });
  expect(await tested(number)).toMatchObject({ mergeable: false, rebaseable: false, mergeable_state: 'dirty' });
  expect(await merge()).toMatchObject({ status: 405, body: { message: 'Pull Request is not mergeable' } });
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  expect((await merge()).status).toBe(405);
  expect(await tip('main')).toBe(main);
});

test('merging closes the issues that the text names, with their events', async () => {
  const { client, base, commit, open } = await pullSetting(w);
  const { body: issue } = await client.post(`${base}/issues`, { title: 'It stalls' });
  await commit('fix', { 'b.txt': 'new\n' });
  const number = await open('fix', { body: `Fixes #${issue.number}.` });
  const { body } = await client.put(`${base}/pulls/${number}/merge`);
  expect((await client.get(`${base}/issues/${issue.number}`)).body).toMatchObject({ state: 'closed', state_reason: 'completed' });
  const { body: events } = await client.get(`${base}/issues/${issue.number}/events`);
  expect(events).toMatchObject([{ event: 'closed', commit_id: body.sha }]);
  expect((await client.get(base)).body.open_issues_count).toBe(0);
});

test('a branch is deleted after its merge where the repository wants that, and can be restored', async () => {
  const { client, base, commit, open } = await pullSetting(w);
  await client.patch(base, { delete_branch_on_merge: true });
  const head = await commit('topic', { 'b.txt': 'new\n' });
  const number = await open('topic');
  await client.put(`${base}/pulls/${number}/merge`);
  await w.settle();
  expect((await client.get(`${base}/git/ref/heads/topic`)).status).toBe(404);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: head });
  await w.settle();
  const { body } = await client.get(`${base}/issues/${number}/events`);
  const events = body.map(({ event }: { event: string }) => event);
  // Two subscriptions record the reference and the deletion, each in a transaction of its own: either may be first.
  expect([events[0], events[1], ...events.slice(2, 4).sort(), ...events.slice(4)]).toEqual([
    'merged',
    'closed',
    'head_ref_deleted',
    'referenced',
    'head_ref_restored',
  ]);
});

test('a merge whose process ended after the branch had moved is completed', async () => {
  const { client, base, commit, open, first, repo, ada } = await pullSetting(w);
  const head = await commit('topic', { 'b.txt': 'new\n' });
  const number = await open('topic');
  // What a process leaves that dies between the two: a plan, and a branch that moved to its commit.
  const { id } = await w.db.selectFrom('issues').select('id').where('repository_id', '=', repo.id).executeTakeFirstOrThrow();
  const { body: squashed } = await client.post(`${base}/git/commits`, {
    message: 'Squashed',
    tree: (await client.get(`${base}/git/commits/${head}`)).body.tree.sha,
    parents: [first],
  });
  const plan = { issue_id: id, repository_id: repo.id, merge_commit_sha: squashed.sha, head_sha: head, actor_id: ada.id };
  await w.db
    .insertInto('planned_merges')
    .values({ ...plan, planned_at: w.clock.now })
    .execute();
  await client.patch(`${base}/git/refs/heads/main`, { sha: squashed.sha });
  await w.settle();
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({
    merged: true,
    merge_commit_sha: squashed.sha,
    merged_by: { login: ada.login },
  });
  expect(await w.db.selectFrom('planned_merges').selectAll().execute()).toEqual([]);
});
