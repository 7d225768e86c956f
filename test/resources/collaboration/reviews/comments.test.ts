import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { changed, reviewSetting } from './setting.ts';

const w = await world();

const ids = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id);
const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
};

test('every reader comments on a line, with the hunk down to it', async () => {
  const { bob, asBob, client, base, pull, head, number } = await reviewSetting(w);
  const wanted = { body: 'Five?', commit_id: head, path: 'engine.txt', line: 5 };
  const { status, body } = await asBob.post(`${pull}/comments`, wanted);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    path: 'engine.txt',
    commit_id: head,
    original_commit_id: head,
    position: 5,
    original_position: 5,
    line: 5,
    original_line: 5,
    side: 'RIGHT',
    start_line: null,
    original_start_line: null,
    start_side: null,
    subject_type: 'line',
    body: 'Five?',
    user: { login: bob.login },
    author_association: 'NONE',
    reactions: { total_count: 0 },
    diff_hunk: '@@ -2,7 +2,7 @@ line 1\n line 2\n line 3\n line 4\n-line 5\n+five',
  });
  expect(body).not.toHaveProperty('in_reply_to_id');
  expect(body.url).toBe(`${w.url}/api/v3${base}/pulls/comments/${body.id}`);
  expect(body.html_url).toBe(`${w.url}/${base.slice('/repos/'.length)}/pull/${number}#discussion_r${body.id}`);
  expect(body._links).toEqual({
    self: { href: body.url },
    html: { href: body.html_url },
    pull_request: { href: body.pull_request_url },
  });
  expect((await client.get(`${base}/pulls/comments/${body.id}`)).body).toEqual(body);
  const { body: review } = await client.get(`${pull}/reviews/${body.pull_request_review_id}`);
  expect(review).toMatchObject({ state: 'COMMENTED', body: '', user: { login: bob.login } });
  expect((await client.get(`${pull}/reviews/${review.id}/comments`)).body).toEqual([body]);
  expect((await client.get(pull)).body.review_comments).toBe(1);
});

test('comments lie on either side, on ranges, at positions and on files', async () => {
  const { client, pull, head } = await reviewSetting(w);
  const common = { body: 'x', commit_id: head, path: 'engine.txt' };
  const places = [
    [
      { line: 5, side: 'LEFT' },
      { side: 'LEFT', line: 5, position: 4 },
    ],
    [{ line: 3 }, { side: 'RIGHT', line: 3, position: 2 }],
    [
      { line: 3, side: 'LEFT' },
      { side: 'LEFT', line: 3, position: 2 },
    ],
    [{ position: 4 }, { side: 'LEFT', line: 5, position: 4 }],
    [{ position: 5 }, { side: 'RIGHT', line: 5, position: 5 }],
    // The header of the second hunk is at position 9.
    [{ line: 21 }, { side: 'RIGHT', line: 21, position: 15 }],
    [
      { start_line: 4, line: 5 },
      { start_line: 4, start_side: 'RIGHT', line: 5, position: 5 },
    ],
    [
      { start_line: 5, start_side: 'LEFT', line: 6, side: 'RIGHT' },
      { start_line: 5, start_side: 'LEFT', line: 6, side: 'RIGHT', position: 6 },
    ],
    [
      { start_line: 3, start_side: 'side', line: 5, side: 'LEFT' },
      { start_line: 3, start_side: 'LEFT', line: 5, side: 'LEFT', position: 4 },
    ],
    [{ subject_type: 'file' }, { subject_type: 'file', line: null, original_line: null, diff_hunk: '', position: 1 }],
    [
      { path: 'new.txt', line: 2 },
      { path: 'new.txt', line: 2, position: 2 },
    ],
  ] as const;
  for (const [place, found] of places) {
    const answer = await client.post(`${pull}/comments`, { ...common, ...place });
    expect(answer, JSON.stringify(place)).toMatchObject({ status: 201, body: found });
  }
  await w.unchanged(['reviews', 'review_comments', 'pull_requests', 'events'], async () => {
    const bad = [
      { line: 1 },
      { line: 12 },
      { line: 5, side: 'MIDDLE' },
      { line: 20, side: 'LEFT', start_line: 21 },
      { position: 9 },
      { position: 400 },
      { position: 0 },
      { start_line: 5, line: 5 },
      { start_line: 6, line: 5 },
      { start_line: 3, line: 20 },
      { start_line: 1, line: 3 },
      { path: 'README.md', line: 1 },
      { path: 'README.md', subject_type: 'file' },
      { path: 'engine', line: 1 },
      { path: '*.txt', line: 1 },
      { path: '' },
      {},
      { line: 5, commit_id: undefined },
      { line: 5, path: undefined },
      { line: 5, body: '' },
      { line: 5, body: 'x'.repeat(65_537) },
    ];
    for (const place of bad)
      expect((await client.post(`${pull}/comments`, { ...common, ...place })).status, JSON.stringify(place).slice(0, 80)).toBe(
        422,
      );
    const { body } = await client.post(`${pull}/comments`, { ...common, line: 12 });
    expect(body.errors).toMatchObject([
      { field: 'pull_request_review_thread.line', message: 'pull_request_review_thread.line must be part of the diff' },
    ]);
  });
});

test('replies join a conversation, and stay one when its first comment is deleted', async () => {
  const { client, asBob, base, pull, head, number } = await reviewSetting(w);
  const { body: first } = await client.post(`${pull}/comments`, { body: 'Why?', commit_id: head, path: 'new.txt', line: 1 });
  const { status, body: reply } = await asBob.post(`${pull}/comments/${first.id}/replies`, { body: 'So.' });
  expect(status).toBe(201);
  const { path, line, diff_hunk } = first;
  expect(reply).toMatchObject({ in_reply_to_id: first.id, body: 'So.', path, line, diff_hunk });
  const { body: other } = await client.post(`${pull}/comments`, { body: 'Ah.', in_reply_to: reply.id });
  expect(other.in_reply_to_id).toBe(first.id);
  expect((await client.get(pull)).body.review_comments).toBe(3);
  await w.unchanged(['reviews', 'review_comments', 'events'], async () => {
    expect((await client.post(`${pull}/comments`, { body: 'x', in_reply_to: 999_999 })).status).toBe(422);
    expect((await client.post(`${pull}/comments/999999/replies`, { body: 'x' })).status).toBe(404);
    expect((await client.post(`${pull}/comments/${first.id}/replies`, { body: '' })).status).toBe(422);
  });
  await client.put(`${base}/issues/${number}/lock`, {});
  await w.unchanged(['reviews', 'review_comments', 'events'], async () => {
    expect((await asBob.post(`${pull}/comments/${first.id}/replies`, { body: 'x' })).status).toBe(403);
  });
  expect((await client.delete(`${base}/pulls/comments/${first.id}`)).status).toBe(204);
  expect((await client.get(`${pull}/reviews/${first.pull_request_review_id}`)).status).toBe(404);
  expect((await client.get(pull)).body.review_comments).toBe(2);
  const { body: rest } = await client.get(`${pull}/comments`);
  expect(rest.map(({ id, in_reply_to_id }: { id: number; in_reply_to_id?: number }) => [id, in_reply_to_id])).toEqual([
    [reply.id, undefined],
    [other.id, reply.id],
  ]);
});

test('authors and those who may write change and delete a comment, others do not', async () => {
  const { client, asBob, base, pull, head, repo } = await reviewSetting(w);
  const eve = await w.user();
  const asEve = await w.as(eve);
  const { body } = await asBob.post(`${pull}/comments`, { body: 'x', commit_id: head, path: 'new.txt', line: 1 });
  const path = `${base}/pulls/comments/${body.id}`;
  later();
  const changedTo = await asBob.patch(path, { body: 'y' });
  expect(changedTo).toMatchObject({ status: 200, body: { body: 'y' } });
  expect(changedTo.body.updated_at > body.updated_at).toBe(true);
  await w.unchanged(['review_comments', 'events'], async () => {
    expect((await asEve.patch(path, { body: 'No.' })).status).toBe(403);
    expect((await asEve.delete(path)).status).toBe(403);
    expect((await asBob.patch(path, { body: '' })).status).toBe(422);
    expect((await asBob.patch(path, { body: 'y' })).status).toBe(200);
  });
  await w.collaborator(repo, eve, 'write');
  expect((await asEve.patch(path, { body: 'z' })).status).toBe(200);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.get(pull)).body.review_comments).toBe(0);
});

test('lists of comments are ordered and begin at a time; media types render texts', async () => {
  const { client, base, pull, head } = await reviewSetting(w);
  const post = async (body: string) => {
    later();
    return (await client.post(`${pull}/comments`, { body, commit_id: head, path: 'new.txt', line: 1 })).body;
  };
  const [one, two, three] = [await post('**One**'), await post('Two'), await post('Three')];
  later();
  const { body: again } = await client.patch(`${base}/pulls/comments/${one.id}`, { body: '**One** again' });
  for (const list of [`${pull}/comments`, `${base}/pulls/comments`]) {
    const asked = async (query: string) => ids(await client.get(`${list}?${query}`));
    expect(await asked('')).toEqual([one.id, two.id, three.id]);
    expect(await asked('direction=desc')).toEqual([one.id, two.id, three.id]);
    expect(await asked('sort=created&direction=desc')).toEqual([three.id, two.id, one.id]);
    expect(await asked('sort=updated')).toEqual([two.id, three.id, one.id]);
    expect(await asked(`since=${again.updated_at}`)).toEqual([one.id]);
    expect(await asked('per_page=2&page=2')).toEqual([three.id]);
    expect((await client.get(`${list}?sort=size`)).status).toBe(422);
  }
  const of = async (media: string) =>
    (await client.get(`${pull}/comments`, { headers: { accept: `application/vnd.service.${media}+json` } })).body[0];
  expect((await of('html')).body_html).toContain('<strong>One</strong>');
  expect((await of('text')).body_text).toBe('One again');
});

test('people react to a comment once of a kind and take it back', async () => {
  const { client, asBob, base, pull, head } = await reviewSetting(w);
  const { body } = await client.post(`${pull}/comments`, { body: 'x', commit_id: head, path: 'new.txt', line: 1 });
  const path = `${base}/pulls/comments/${body.id}`;
  const { status, body: heart } = await asBob.post(`${path}/reactions`, { content: 'heart' });
  expect(status).toBe(201);
  expect(await asBob.post(`${path}/reactions`, { content: 'heart' })).toMatchObject({ status: 200, body: { id: heart.id } });
  expect((await client.get(path)).body.reactions).toMatchObject({ total_count: 1, heart: 1, url: `${body.url}/reactions` });
  expect(ids(await client.get(`${path}/reactions?content=heart`))).toEqual([heart.id]);
  expect((await client.delete(`${path}/reactions/${heart.id}`)).status).toBe(403);
  expect((await asBob.delete(`${path}/reactions/${heart.id}`)).status).toBe(204);
  expect((await client.get(path)).body.reactions.total_count).toBe(0);
});

test('comments follow their lines through pushes, and are outdated where those are gone', async () => {
  const { client, pull, head, branch, after, commit } = await reviewSetting(w);
  const post = async (place: object) =>
    (await client.post(`${pull}/comments`, { body: 'x', commit_id: head, path: 'engine.txt', ...place })).body.id;
  const five = await post({ line: 5 });
  const removed = await post({ line: 5, side: 'LEFT' });
  const range = await post({ start_line: 19, line: 20 });
  const file = await post({ subject_type: 'file' });
  const other = await post({ path: 'new.txt', line: 2 });
  const siteCandidatesOf = async () => {
    await w.settle();
    const { body } = await client.get(`${pull}/comments`);
    return new Map(
      body.map(({ id, position, line, start_line, commit_id, original_line }: Record<string, unknown>) => [
        id,
        { position, line, start_line, commit_id, original_line },
      ]),
    );
  };
  // Two lines more above everything, and the other file is gone.
  const moved = await commit(branch, { 'engine.txt': `zero\nnull\n${after}`, 'new.txt': null });
  const places = await siteCandidatesOf();
  expect(places.get(five)).toEqual({ position: 8, line: 7, start_line: null, commit_id: moved, original_line: 5 });
  expect(places.get(removed)).toEqual({ position: 7, line: 5, start_line: null, commit_id: moved, original_line: 5 });
  expect(places.get(range)).toMatchObject({ line: 22, start_line: 21, commit_id: moved });
  expect(places.get(file)).toMatchObject({ position: 1, line: null, commit_id: moved });
  expect(places.get(other)).toEqual({ position: null, line: null, start_line: null, commit_id: head, original_line: 2 });
  // The commented line is another one; the others go back to where they were.
  const last = await commit(branch, { 'engine.txt': changed(after, { 5: 'FIVE' }), 'new.txt': 'one\ntwo\n' });
  const now = await siteCandidatesOf();
  expect(now.get(five)).toMatchObject({ position: null, line: null, commit_id: moved });
  expect(now.get(removed)).toMatchObject({ position: 4, line: 5, commit_id: last });
  expect(now.get(range)).toMatchObject({ line: 20, start_line: 19 });
  expect(now.get(other)).toMatchObject({ position: 2, line: 2, commit_id: last });
});

test('a comment on an earlier commit is where its line is now, and a new base moves all', async () => {
  const { client, base, pull, head, branch, after, commit, under } = await reviewSetting(w);
  await commit(branch, { 'engine.txt': `zero\n${after}` });
  await w.settle();
  const wanted = { body: 'x', commit_id: head, path: 'engine.txt', line: 5 };
  const { body } = await client.post(`${pull}/comments`, wanted);
  expect(body).toMatchObject({ original_line: 5, original_commit_id: head, line: 6 });
  expect(body.commit_id).not.toBe(head);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/stable', sha: under });
  await commit('stable', { 'other.txt': 'x\n' });
  await client.patch(pull, { base: 'stable' });
  await w.settle();
  expect((await client.get(`${base}/pulls/comments/${body.id}`)).body).toMatchObject({ line: 6 });
  const { body: first } = await client.get(`${base}/commits?sha=main&per_page=10`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/old', sha: first.at(-1).sha });
  await client.patch(pull, { base: 'old' });
  await w.settle();
  // Compared with the first commit, the whole file is new.
  expect((await client.get(`${base}/pulls/comments/${body.id}`)).body).toMatchObject({ line: 6, position: 6 });
});

test('lists of comments send as many statements for one as for thirty', async () => {
  const { ada, asBob, base, pull, head } = await reviewSetting(w);
  const wanted = { body: 'x', commit_id: head, path: 'new.txt', line: 1 };
  const { body } = await asBob.post(`${pull}/comments`, wanted);
  const lists = [`${pull}/comments`, `${base}/pulls/comments`, `${pull}/reviews/${body.pull_request_review_id}/comments`];
  const counts = async () => {
    const counted: number[] = [];
    for (const list of lists) counted.push(await w.statements(ada, list));
    return counted;
  };
  const few = await counts();
  expect(few).toEqual([4, 5, 5]);
  const comments = Array.from({ length: 29 }, () => ({ path: 'new.txt', line: 1, body: 'x' }));
  const { body: review } = await asBob.post(`${pull}/reviews`, { event: 'COMMENT', comments });
  lists[2] = `${pull}/reviews/${review.id}/comments`;
  expect(await counts()).toEqual(few);
});

test('comments of a review lie on ranges and sides, too', async () => {
  const { client, pull, head } = await reviewSetting(w);
  const place = { path: 'engine.txt', start_line: 3, start_side: 'LEFT', line: 5, side: 'LEFT' };
  const comments = [{ ...place, body: 'These?' }];
  const { body: review } = await client.post(`${pull}/reviews`, { commit_id: head, event: 'COMMENT', body: 'Look.', comments });
  expect((await client.get(`${pull}/reviews/${review.id}/comments`)).body).toMatchObject([
    { path: 'engine.txt', body: 'These?' },
  ]);
  expect((await client.get(`${pull}/comments`)).body).toMatchObject([{ ...place, pull_request_review_id: review.id }]);
});
