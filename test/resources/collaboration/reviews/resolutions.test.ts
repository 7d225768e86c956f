import { expect, test } from 'vitest';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { reviewSetting } from './setting.ts';

const { here, owner, org, client: asOwner, target } = await listening();

/** A conversation of two comments of Bob's, who only reads, on Ada's pull request. */
async function conversation() {
  const setting = await reviewSetting(here);
  const { base, pull, asBob, head, repo } = setting;
  const wanted = { body: 'Why?', commit_id: head, path: 'new.txt', line: 1 };
  const { body: first } = await asBob.post(`${pull}/comments`, wanted);
  const { body: reply } = await asBob.post(`${pull}/comments/${first.id}/replies`, { body: 'Well?' });
  const resolution = (id: number) => `${base}/pulls/comments/${id}/resolution`;
  const query = here.db.selectFrom('review_comments').select(['id', 'resolved_by', 'in_reply_to_id']);
  const resolved = () => query.where('repository_id', '=', repo.id).where('resolved_at', 'is not', null).execute();
  return { ...setting, first, reply, resolution, resolved };
}

test('the author of a pull request and those who may write resolve conversations, by any of their comments', async () => {
  const { ada, asBob, client, repo, first, reply, resolution, resolved } = await conversation();
  const eve = await here.user();
  await here.collaborator(repo, eve, 'write');
  const asEve = await here.as(eve);
  const triager = await here.user();
  await here.collaborator(repo, triager, 'triage');

  for (const refused of [asBob, await here.as(triager)]) {
    const answer = await refused.put(resolution(first.id));
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'Must have write access to the repository, or be the author of the pull request.',
    ]);
  }
  expect((await (await here.as(undefined)).put(resolution(first.id))).status).toBe(401);
  expect(await resolved()).toEqual([]);
  expect((await client.put(resolution(reply.id))).status).toBe(204);
  expect(await resolved()).toEqual([{ id: first.id, resolved_by: ada.id, in_reply_to_id: null }]);
  expect((await asEve.put(resolution(first.id))).status).toBe(204);
  expect(await resolved()).toMatchObject([{ resolved_by: ada.id }]);
  expect((await asBob.delete(resolution(first.id))).status).toBe(403);
  expect((await asEve.delete(resolution(first.id))).status).toBe(204);
  expect((await asEve.delete(resolution(reply.id))).status).toBe(204);
  expect(await resolved()).toEqual([]);
});

test('a pending comment, one of another repository and one that never was have no conversation', async () => {
  const { asBob, client, pull, base, resolution } = await conversation();
  const comments = [{ path: 'new.txt', line: 2, body: 'Later' }];
  const { body: review } = await asBob.post(`${pull}/reviews`, { comments });
  const [pending] = (await asBob.get(`${pull}/reviews/${review.id}/comments`)).body;
  const other = await conversation();
  for (const id of [pending.id, other.first.id, 2_000_000_000])
    for (const who of [client, asBob]) expect((await who.put(resolution(id))).status).toBe(404);
  expect((await other.client.put(`${base}/pulls/comments/${other.first.id}/resolution`)).status).toBe(404);
});

test('a conversation stays resolved when its first comment is deleted, and when somebody replies', async () => {
  const { ada, asBob, client, base, pull, first, reply, resolution, resolved } = await conversation();
  await client.put(resolution(first.id));
  const { body: last } = await asBob.post(`${pull}/comments/${reply.id}/replies`, { body: 'So?' });
  expect((await asBob.delete(`${base}/pulls/comments/${first.id}`)).status).toBe(204);
  expect(await resolved()).toEqual([{ id: reply.id, resolved_by: ada.id, in_reply_to_id: null }]);
  expect((await client.delete(resolution(last.id))).status).toBe(204);
  expect(await resolved()).toEqual([]);
});

test('hooks are told of conversations that are resolved, as the public schemas describe it', async () => {
  const repo = await here.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  const put = (path: string, branch: string) =>
    asOwner.put(`${base}/contents/${path}`, { message: `Add ${path}`, content: 'YQ==', branch });
  await put('a.txt', 'main');
  const main = (await asOwner.get(`${base}/git/ref/heads/main`)).body.object.sha;
  await asOwner.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
  await put('b.txt', 'topic');
  const { body: pull } = await asOwner.post(`${base}/pulls`, { title: 'Add b', head: 'topic', base: 'main' });
  const wanted = { body: 'Why?', commit_id: pull.head.sha, path: 'b.txt', line: 1 };
  const { body: comment } = await asOwner.post(`${base}/pulls/${pull.number}/comments`, wanted);
  await asOwner.post(`${base}/pulls/${pull.number}/comments/${comment.id}/replies`, { body: 'So.' });
  await heard(here, target);
  const path = `${base}/pulls/comments/${comment.id}/resolution`;
  await asOwner.put(path);
  await asOwner.put(path);
  const told = await heard(here, target);
  expect(Object.keys(told)).toEqual(['pull_request_review_thread.resolved']);
  expect(told['pull_request_review_thread.resolved']).toMatchObject({
    thread: { node_id: expect.any(String), comments: [{ id: comment.id, body: 'Why?' }, { body: 'So.' }] },
    pull_request: { number: pull.number },
    updated_at: '2026-01-01T00:00:00Z',
    ...parts(org, owner),
  });
  await asOwner.delete(path);
  expect(await heard(here, target)).toMatchObject({
    'pull_request_review_thread.unresolved': { thread: { comments: [{ id: comment.id }, {}] } },
  });
});
