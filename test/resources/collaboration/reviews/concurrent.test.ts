import { expect, test } from 'vitest';
import { waitsForLock } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';
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
