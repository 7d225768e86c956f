import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EventData } from '#events/kinds.ts';
import { endUnrecorded, recover, unfinished } from '#test/resources/code/pushes/support.ts';
import { waitsForLock } from '#test/support/time.ts';
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

/**
 * A squashed merge that a server did not record which ended after `main` had moved. It closes an issue, and its branch is to be
 * deleted.
 */
async function unrecordedMerge() {
  const setting = await pullSetting(w);
  const { client, base, commit, open, tip, repo, ada } = setting;
  await client.patch(base, { delete_branch_on_merge: true });
  const { body: issue } = await client.post(`${base}/issues`, { title: 'It stalls' });
  await commit('topic', { 'b.txt': 'new\n' });
  const number = await open('topic', { body: `Fixes #${issue.number}.` });
  await w.settle();
  const path = `${base}/pulls/${number}/merge`;
  const body = { merge_method: 'squash' };
  await endUnrecorded(w, ada, { method: 'PUT', path, body });
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ state: 'open', merged: false });
  const { id: since } = await w.db
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirstOrThrow();
  return {
    ...setting,
    issue: issue.number,
    number,
    merge: () => client.put(path, body),
    squashed: await tip('main'),
    /** The kinds of events that were recorded since, and the branches of pushes. */
    news: async () => {
      const query = w.db.selectFrom('events').select(['kind', 'data']).where('repository_id', '=', repo.id);
      const rows = await query.where('id', '>', since).orderBy('id').execute();
      return rows.map(({ kind, data }) => (kind === 'push' ? `push ${(data as EventData['push']).moves[0]?.ref}` : kind));
    },
  };
}

test('a merge whose process ended after the branch had moved is completed, with all that follows, once', async () => {
  const { client, base, number, issue, squashed, repo, ada, news } = await unrecordedMerge();
  await Promise.all([recover(w), recover(w), recover(w)]);
  await w.settle();
  await recover(w);
  await w.settle();
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({
    merged: true,
    merge_commit_sha: squashed,
    merged_by: { login: ada.login },
  });
  expect(await news()).toEqual([
    'push refs/heads/main',
    'pull_request.closed',
    'issue.closed',
    'delete',
    'push refs/heads/topic',
  ]);
  const eventsOf = async (of: number) =>
    (await client.get(`${base}/issues/${of}/events`)).body.map(({ event }: { event: string }) => event).sort();
  expect(await eventsOf(number)).toEqual(['closed', 'head_ref_deleted', 'merged', 'referenced']);
  expect((await client.get(`${base}/issues/${issue}/events`)).body).toMatchObject([{ event: 'closed', commit_id: squashed }]);
  expect((await client.get(`${base}/git/ref/heads/topic`)).status).toBe(404);
  expect((await client.get(base)).body.open_issues_count).toBe(0);
  expect(await unfinished(w, repo)).toEqual([]);
});

test('a merge that is repeated after its process ended is completed, and not done twice', async () => {
  const { client, base, number, merge, squashed, tip, repo } = await unrecordedMerge();
  expect(await merge()).toMatchObject({ status: 405, body: { message: 'Pull Request is not mergeable' } });
  expect(await tip('main')).toBe(squashed);
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ merged: true, merge_commit_sha: squashed });
  expect(await unfinished(w, repo)).toEqual([]);
  await w.settle();
});

test('a merge that a deleted app left unfinished is completed without it', async () => {
  const { client, base, number, repo } = await unrecordedMerge();
  await sql`update ref_changes set following = jsonb_set(following, '{0,data,app}', '999999')
    where repository_id = ${repo.id}`.execute(w.db);
  await recover(w);
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ merged: true });
  await w.settle();
});

test('a merge locks the issues that it closes before their repository, as whoever closes one does', async () => {
  const { client, base, commit, open, repo } = await pullSetting(w);
  const { body: issue } = await client.post(`${base}/issues`, { title: 'It stalls' });
  await commit('topic', { 'b.txt': 'new\n' });
  const number = await open('topic', { body: `Fixes #${issue.number}.` });
  let merging: Promise<{ status: number }> | undefined;
  await w.change(async (scope) => {
    await scope.tx.updateTable('issues').set({ title: 'It stalls again' }).where('id', '=', issue.id).execute();
    merging = client.put(`${base}/pulls/${number}/merge`);
    await waitsForLock(w.hearth.worker.database.db, 'text_references');
    await scope.tx.updateTable('repositories').set({ open_issues_count: 2 }).where('id', '=', repo.id).execute();
  });
  expect((await merging)?.status).toBe(200);
  expect((await client.get(base)).body.open_issues_count).toBe(0);
  await w.settle();
});
