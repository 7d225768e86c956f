import { expect, test } from 'vitest';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { commitFiles } from '#test/support/commit.ts';

const { here, owner, org, client, target } = await listening();
const repo = await here.repo(org, { by: owner });
await commitFiles(here, repo, { 'a.txt': 'a' });
const base = `/repos/${org.login}/${repo.name}`;

const told = () => heard(here, target);

const main = (await client.get(`${base}/git/ref/heads/main`)).body.object.sha;
await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
await client.put(`${base}/contents/b.txt`, { message: 'Add b', content: 'Yg==', branch: 'topic' });
const { body: pull } = await client.post(`${base}/pulls`, { title: 'Add b', head: 'topic', base: 'main' });
const path = `${base}/pulls/${pull.number}`;
const eve = await here.user();
const asEve = await here.as(eve);
await told();

test('hooks are told of reviews and their comments, as the public schemas describe it', async () => {
  const comments = [{ path: 'b.txt', line: 1, body: 'Why?' }];
  const { body: review } = await asEve.post(`${path}/reviews`, { comments });
  expect(await told()).toEqual({});
  await asEve.post(`${path}/reviews/${review.id}/events`, { event: 'REQUEST_CHANGES' });
  const submitted = await told();
  expect(submitted).toMatchObject({
    'pull_request_review.submitted': {
      review: { id: review.id, state: 'changes_requested', body: null, user: { login: eve.login } },
      pull_request: { number: pull.number },
      ...parts(org, eve),
    },
    'pull_request_review_comment.created': {
      comment: { body: 'Why?', line: 1, path: 'b.txt', pull_request_review_id: review.id },
      pull_request: { number: pull.number },
    },
  });
  const { id } = submitted['pull_request_review_comment.created'].comment;
  await asEve.put(`${path}/reviews/${review.id}`, { body: 'No.' });
  await asEve.patch(`${base}/pulls/comments/${id}`, { body: 'Why not?' });
  await client.put(`${path}/reviews/${review.id}/dismissals`, { message: 'So.' });
  expect(await told()).toMatchObject({
    'pull_request_review.edited': { changes: { body: { from: '' } }, review: { body: 'No.' } },
    'pull_request_review_comment.edited': { changes: { body: { from: 'Why?' } }, comment: { id, body: 'Why not?' } },
    'pull_request_review.dismissed': { review: { state: 'dismissed' }, ...parts(org, owner) },
  });
  await client.delete(`${base}/pulls/comments/${id}`);
  expect(await told()).toMatchObject({
    'pull_request_review_comment.deleted': { comment: { id, body: 'Why not?', created_at: '2026-01-01T00:00:00Z' } },
  });
});
