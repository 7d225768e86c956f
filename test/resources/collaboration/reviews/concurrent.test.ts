import { expect, test } from 'vitest';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { push } from '#test/resources/collaboration/pulls/setting.ts';
import { waitsForLock } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';
import { mergeSetting } from './merge-setting.ts';
import { reviewSetting } from './setting.ts';

const w = await world();

test('of two pending reviews at once, one is begun; comments at once are all counted', async () => {
  const { asBob, client, pull, head } = await reviewSetting(w);
  const answers = await Promise.all([1, 2].map(() => asBob.post(`${pull}/reviews`, { body: 'x' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  const wanted = { body: 'x', commit_id: head, path: 'new.txt', line: 1 };
  const made = await Promise.all(Array.from({ length: 12 }, () => client.post(`${pull}/comments`, wanted)));
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  await Promise.all(made.slice(0, 5).map(({ body }) => client.delete(new URL(body.url).pathname.replace('/api/v3', ''))));
  expect((await client.get(pull)).body.review_comments).toBe(7);
  expect((await client.get(`${pull}/comments`)).body).toHaveLength(7);
});

test('a comment whose pull request gets new commits meanwhile is refused, and nothing is written', async () => {
  const { client, base, number, pull, head, under } = await reviewSetting(w);
  const { id } = (await client.get(`${base}/issues/${number}`)).body;
  const wanted = { body: 'x', commit_id: head, path: 'new.txt', line: 1 };
  let answer: ReturnType<typeof client.post> | undefined;
  await w.change(async (scope) => {
    await scope.tx.updateTable('pull_requests').set({ head_sha: under }).where('issue_id', '=', id).execute();
    answer = client.post(`${pull}/comments`, wanted);
    await waitsForLock(w.hearth.worker.database.db, 'pull_requests');
  });
  expect(await answer).toMatchObject({ status: 409 });
  expect((await client.get(`${pull}/comments`)).body).toEqual([]);
  expect((await client.get(`${pull}/reviews`)).body).toEqual([]);
});

test('what comes from another base is not approved, though its pull request gets its own base again meanwhile', async () => {
  const setting = await mergeSetting(w);
  const [author, reviewer] = [await setting.person('write'), await setting.person('write')];
  const wanted = { dismiss_stale_reviews_on_push: true, require_last_push_approval: true };
  await setting.rule({ required_approving_review_count: 1, ...wanted });
  const topic = await setting.bring({ 'good.txt': 'good' }, author.api);
  await topic.review(reviewer, 'APPROVE');
  await setting.commit('unprotected', { 'evil.txt': 'evil' });
  expect((await author.api.patch(topic.path, { base: 'unprotected' })).status).toBe(200);
  await w.settle();
  const gitRepository = diskOf(w, setting.repo);
  const files = { 'good.txt': 'good', 'evil.txt': 'evil' };
  const parents = [topic.head, await setting.tip('unprotected')];
  const both = await addCommit(gitRepository, { files, parents, message: 'Both' });
  const { id } = (await setting.client.get(`${setting.base}/issues/${topic.number}`)).body;
  let settled: Promise<void> | undefined;
  await w.change(async (scope) => {
    // The base that it had before. The comparison with the other one has been made, and waits to be written.
    await scope.tx.updateTable('pull_requests').set({ base_ref: 'main' }).where('issue_id', '=', id).execute();
    await push(w, author.account, setting.repo, topic.branch, both);
    settled = w.settle();
    await waitsForLock(w.hearth.worker.database.db, 'pull_requests');
  });
  await settled;
  const { head, base, commits } = (await setting.client.get(topic.path)).body;
  expect([head.sha, base.ref, commits]).toEqual([both, 'main', 3]);
  expect(await topic.states()).toEqual(['DISMISSED']);
  expect(await topic.merge(author.api)).toContain('At least 1 approving review is required');
});

test('a base that was compared with another head than the present one is refused', async () => {
  const setting = await mergeSetting(w);
  const topic = await setting.bring({ 'good.txt': 'good' });
  await setting.commit('other', { 'other.txt': 'other' });
  const { id } = (await setting.client.get(`${setting.base}/issues/${topic.number}`)).body;
  const before = (await setting.client.get(topic.path)).body;
  let answer: ReturnType<typeof setting.client.patch> | undefined;
  await w.change(async (scope) => {
    await scope.tx.updateTable('pull_requests').set({ head_sha: setting.first }).where('issue_id', '=', id).execute();
    answer = setting.client.patch(topic.path, { base: 'other' });
    await waitsForLock(w.hearth.worker.database.db, 'pull_requests');
  });
  expect(await answer).toMatchObject({ status: 422, body: { errors: [{ field: 'base' }] } });
  expect((await setting.client.get(topic.path)).body.base.ref).toBe(before.base.ref);
});

test('what is pushed while a pull request is merged is not said to be merged, and its branch stays', async () => {
  const setting = await mergeSetting(w);
  await setting.client.patch(setting.base, { delete_branch_on_merge: true });
  const topic = await setting.bring({ 'good.txt': 'good' });
  const later = await setting.unpushed(topic.branch, { 'later.txt': 'later' });
  const { id } = (await setting.client.get(`${setting.base}/issues/${topic.number}`)).body;
  let merged: Promise<string | undefined> | undefined;
  await w.change(async (scope) => {
    await push(w, setting.ada, setting.repo, topic.branch, later);
    await scope.tx.updateTable('pull_requests').set({ head_sha: later }).where('issue_id', '=', id).execute();
    merged = topic.merge();
    await waitsForLock(w.hearth.worker.database.db, 'pull_requests');
  });
  expect(await merged).toBeUndefined();
  await w.settle();
  expect((await setting.client.get(topic.path)).body).toMatchObject({ merged: true, head: { sha: topic.head } });
  expect(await setting.tip(topic.branch)).toBe(later);
});
