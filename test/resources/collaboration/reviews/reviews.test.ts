import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { reviewSetting } from './setting.ts';

const w = await world();

const ids = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id);
const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
};

test('somebody else approves a pull request, asks for changes, or comments; the author comments alone', async () => {
  const { bob, client, asBob, base, pull, head, number } = await reviewSetting(w);
  const { status, body } = await asBob.post(`${pull}/reviews`, { event: 'APPROVE' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ state: 'APPROVED', body: '', user: { login: bob.login }, commit_id: head });
  expect(body).toMatchObject({ author_association: 'NONE', submitted_at: '2026-01-01T00:00:00Z' });
  const page = `${w.url}/${base.slice('/repos/'.length)}/pull/${number}`;
  expect(body.html_url).toBe(`${page}#pullrequestreview-${body.id}`);
  expect(body._links).toEqual({ html: { href: body.html_url }, pull_request: { href: body.pull_request_url } });
  expect(body.pull_request_url).toBe(`${w.url}/api/v3${pull}`);
  const { body: second } = await asBob.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'No, wait.' });
  const { body: third } = await client.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Why?' });
  expect([second.state, third.state, third.author_association]).toEqual(['CHANGES_REQUESTED', 'COMMENTED', 'OWNER']);
  expect(ids(await client.get(`${pull}/reviews`))).toEqual([body.id, second.id, third.id]);
  expect(ids(await client.get(`${pull}/reviews?per_page=2&page=2`))).toEqual([third.id]);
  expect((await client.get(`${pull}/reviews/${body.id}`)).body).toEqual(body);
  await w.unchanged(['reviews', 'review_comments', 'events', 'issues'], async () => {
    const approval = await client.post(`${pull}/reviews`, { event: 'APPROVE' });
    expect(approval).toMatchObject({ status: 422, body: { message: 'Can not approve your own pull request' } });
    const changes = await client.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'x' });
    expect(changes).toMatchObject({ status: 422, body: { message: 'Can not request changes on your own pull request' } });
    for (const event of ['REQUEST_CHANGES', 'COMMENT'])
      expect((await asBob.post(`${pull}/reviews`, { event })).status, event).toBe(422);
    expect((await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: ' \n' })).status).toBe(422);
  });
});

test('a pending review is its author’s alone until it is submitted', async () => {
  const { client, asBob, base, pull } = await reviewSetting(w);
  const comments = [
    { path: 'engine.txt', line: 5, body: 'Five?' },
    { path: 'new.txt', position: 1, body: 'One?' },
  ];
  const { status, body } = await asBob.post(`${pull}/reviews`, { comments, body: 'For later.' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ state: 'PENDING', body: 'For later.' });
  expect(body.submitted_at).toBeUndefined();
  const review = `${pull}/reviews/${body.id}`;
  const { body: drafts } = await asBob.get(`${review}/comments`);
  expect(drafts.map((draft: { line: number }) => draft.line)).toEqual([5, 1]);
  expect(ids(await asBob.get(`${pull}/reviews`))).toEqual([body.id]);
  expect((await asBob.get(`${base}/pulls/comments/${drafts[0].id}`)).status).toBe(200);
  // Others learn nothing of it.
  const anybody = await w.as(undefined);
  for (const other of [client, anybody]) {
    expect(ids(await other.get(`${pull}/reviews`))).toEqual([]);
    expect((await other.get(review)).status).toBe(404);
    expect((await other.get(`${review}/comments`)).status).toBe(404);
    expect((await other.get(`${base}/pulls/comments/${drafts[0].id}`)).status).toBe(404);
    expect(ids(await other.get(`${pull}/comments`))).toEqual([]);
    expect(ids(await other.get(`${base}/pulls/comments`))).toEqual([]);
  }
  expect((await client.get(pull)).body.review_comments).toBe(0);
  await w.unchanged(['reviews', 'review_comments', 'events', 'reactions'], async () => {
    expect((await client.post(`${review}/events`, { event: 'APPROVE' })).status).toBe(404);
    expect((await client.put(`${review}/dismissals`, { message: 'x' })).status).toBe(404);
    expect((await client.delete(review)).status).toBe(404);
    expect((await client.delete(`${base}/pulls/comments/${drafts[0].id}`)).status).toBe(404);
    expect((await client.post(`${base}/pulls/comments/${drafts[0].id}/reactions`, { content: 'heart' })).status).toBe(404);
    expect((await client.post(`${pull}/comments/${drafts[0].id}/replies`, { body: 'x' })).status).toBe(404);
    const again = await asBob.post(`${pull}/reviews`, { event: 'APPROVE' });
    expect(again).toMatchObject({
      status: 422,
      body: { message: 'User can only have one pending review per pull request' },
    });
    expect((await asBob.post(`${review}/events`, {})).status).toBe(422);
  });
  expect((await asBob.put(review, { body: 'Almost.' })).body).toMatchObject({ state: 'PENDING', body: 'Almost.' });
  later();
  const submitted = await asBob.post(`${review}/events`, { event: 'REQUEST_CHANGES' });
  expect(submitted).toMatchObject({ status: 200, body: { id: body.id, state: 'CHANGES_REQUESTED', body: 'Almost.' } });
  expect((await client.get(review)).body).toEqual(submitted.body);
  expect(ids(await client.get(`${pull}/comments`))).toEqual(drafts.map(({ id }: { id: number }) => id));
  expect((await client.get(pull)).body.review_comments).toBe(2);
  expect((await asBob.post(`${review}/events`, { event: 'APPROVE' })).status).toBe(422);
  expect((await asBob.delete(review)).status).toBe(422);
});

test('a pending review is deleted with its comments, and another one begun', async () => {
  const { asBob, base, pull } = await reviewSetting(w);
  const { body } = await asBob.post(`${pull}/reviews`, { comments: [{ path: 'new.txt', line: 1, body: 'x' }] });
  const [comment] = (await asBob.get(`${pull}/reviews/${body.id}/comments`)).body;
  expect(await asBob.delete(`${pull}/reviews/${body.id}`)).toMatchObject({ status: 200, body: { state: 'PENDING' } });
  expect((await asBob.get(`${pull}/reviews/${body.id}`)).status).toBe(404);
  expect((await asBob.get(`${base}/pulls/comments/${comment.id}`)).status).toBe(404);
  expect((await asBob.post(`${pull}/reviews`, undefined)).body.state).toBe('PENDING');
});

test('those who may write dismiss an approval or a wish for changes, with a message', async () => {
  const { client, asBob, base, pull, number, head } = await reviewSetting(w);
  const { body } = await asBob.post(`${pull}/reviews`, { event: 'APPROVE', body: 'Fine.' });
  const { body: comment } = await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Hm.' });
  const dismissals = `${pull}/reviews/${body.id}/dismissals`;
  await w.unchanged(['reviews', 'events', 'issue_events'], async () => {
    expect((await asBob.put(dismissals, { message: 'x' })).status).toBe(403);
    expect((await client.put(dismissals, {})).status).toBe(422);
    expect((await client.put(dismissals, { message: '' })).status).toBe(422);
    expect((await client.put(`${pull}/reviews/${comment.id}/dismissals`, { message: 'x' })).status).toBe(422);
  });
  const dismissed = await client.put(dismissals, { message: 'It was another one.', event: 'DISMISS' });
  expect(dismissed).toMatchObject({ status: 200, body: { id: body.id, state: 'DISMISSED', body: 'Fine.' } });
  expect((await client.put(dismissals, { message: 'Again.' })).status).toBe(422);
  const { body: events } = await client.get(`${base}/issues/${number}/events`);
  expect(events.at(-1)).toMatchObject({
    event: 'review_dismissed',
    dismissed_review: {
      state: 'approved',
      review_id: body.id,
      dismissal_message: 'It was another one.',
      dismissal_commit_id: head,
    },
  });
});

test('a merged or closed pull request is still reviewed, a locked one by those who may write alone', async () => {
  const { client, asBob, base, pull, number } = await reviewSetting(w);
  await client.patch(pull, { state: 'closed' });
  expect((await asBob.post(`${pull}/reviews`, { event: 'APPROVE' })).status).toBe(200);
  await client.put(`${base}/issues/${number}/lock`, {});
  await w.unchanged(['reviews', 'review_comments', 'events'], async () => {
    expect((await asBob.post(`${pull}/reviews`, { event: 'APPROVE' })).status).toBe(403);
    const comments = [{ path: 'new.txt', line: 1, body: 'x' }];
    expect((await asBob.post(`${pull}/reviews`, { comments })).status).toBe(403);
  });
  expect((await client.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Enough.' })).status).toBe(200);
});

test('reviews of an earlier commit say so; commits of others are refused', async () => {
  const { asBob, client, branch, pull, head, commit, first } = await reviewSetting(w);
  const next = await commit(branch, { 'more.txt': 'more\n' });
  await w.settle();
  expect((await client.get(pull)).body.head.sha).toBe(next);
  const { body } = await asBob.post(`${pull}/reviews`, { commit_id: head, event: 'APPROVE' });
  expect(body.commit_id).toBe(head);
  await w.unchanged(['reviews', 'events'], async () => {
    for (const commit_id of [first, '0'.repeat(40), 'main'])
      expect((await asBob.post(`${pull}/reviews`, { commit_id, event: 'APPROVE' })).status, commit_id).toBe(422);
  });
});

test('texts of reviews are rendered as the request asks, and bad ones are refused', async () => {
  const { asBob, pull } = await reviewSetting(w);
  const { body } = await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: '**Bold**' });
  const of = async (media: string) =>
    (await asBob.get(`${pull}/reviews`, { headers: { accept: `application/vnd.service.${media}+json` } })).body[0];
  expect((await of('html')).body_html).toContain('<strong>Bold</strong>');
  expect((await of('text')).body_text).toBe('Bold');
  expect(await of('full')).toMatchObject({ body: '**Bold**', body_text: 'Bold' });
  await w.unchanged(['reviews', 'review_comments', 'events'], async () => {
    const comment = { path: 'new.txt', line: 1, body: 'x' };
    const bad = [
      { event: 'APPROVE', body: 'x'.repeat(65_537) },
      { event: 'REJECT' },
      { event: 'COMMENT', comments: [{ ...comment, body: '' }] },
      { event: 'COMMENT', comments: [{ ...comment, body: 'x'.repeat(65_537) }] },
      { event: 'COMMENT', comments: [comment, { ...comment, line: 3 }] },
      { event: 'COMMENT', comments: Array.from({ length: 301 }, () => comment) },
      { event: 'COMMENT', comments: [{ path: 'new.txt', body: 'x' }] },
      { event: 'COMMENT', body: 'x', commit_id: 'abc' },
    ];
    for (const wanted of bad)
      expect((await asBob.post(`${pull}/reviews`, wanted)).status, JSON.stringify(wanted).slice(0, 80)).toBe(422);
    for (const wanted of [{}, { body: '' }, { body: 'x'.repeat(65_537) }])
      expect((await asBob.put(`${pull}/reviews/${body.id}`, wanted)).status).toBe(422);
    expect((await (await w.as(undefined)).post(`${pull}/reviews`, { event: 'APPROVE' })).status).toBe(401);
  });
});

test('authors and those who may write change the text of a review', async () => {
  const { client, asBob, pull } = await reviewSetting(w);
  const eve = await w.as(await w.user());
  const { body } = await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Fine.' });
  expect((await eve.put(`${pull}/reviews/${body.id}`, { body: 'No.' })).status).toBe(403);
  expect((await asBob.put(`${pull}/reviews/${body.id}`, { body: 'Very fine.' })).body.body).toBe('Very fine.');
  expect((await client.put(`${pull}/reviews/${body.id}`, { body: 'Indeed.' })).body.body).toBe('Indeed.');
  await w.unchanged(['reviews', 'events'], () => client.put(`${pull}/reviews/${body.id}`, { body: 'Indeed.' }));
});

test('tokens need the permission for pull requests, and limits on interactions hold', async () => {
  const { ada, client, asBob, base, pull } = await reviewSetting(w);
  const reading = await w.as(await w.fineGrained(ada, ada, { pull_requests: 'read' }));
  expect((await reading.get(`${pull}/reviews`)).status).toBe(200);
  expect((await reading.post(`${pull}/reviews`, { event: 'COMMENT', body: 'x' })).status).toBe(403);
  const writing = await w.as(await w.fineGrained(ada, ada, { pull_requests: 'write' }));
  expect((await writing.post(`${pull}/reviews`, { event: 'COMMENT', body: 'x' })).status).toBe(200);
  const { body: comment } = await asBob.post(`${pull}/reviews`, {
    event: 'COMMENT',
    comments: [{ path: 'new.txt', line: 1, body: 'x' }],
  });
  const [{ id }] = (await asBob.get(`${pull}/reviews/${comment.id}/comments`)).body;
  await client.put(`${base}/interaction-limits`, { limit: 'collaborators_only' });
  expect((await asBob.post(`${pull}/reviews`, { event: 'APPROVE' })).status).toBe(403);
  expect((await asBob.post(`${pull}/comments/${id}/replies`, { body: 'x' })).status).toBe(403);
  expect((await asBob.post(`${base}/pulls/comments/${id}/reactions`, { content: 'heart' })).status).toBe(403);
});

test('what reviews mention and refer to becomes events once they are submitted', async () => {
  const { client, asBob, base, pull, number, bob } = await reviewSetting(w);
  const eve = await w.user();
  const { body: issue } = await client.post(`${base}/issues`, { title: 'Leak' });
  const text = `@${eve.login}, this closes #${issue.number}.`;
  const comments = [{ path: 'new.txt', line: 1, body: `@${bob.login}` }];
  const { body } = await asBob.post(`${pull}/reviews`, { body: text, comments });
  const references = async () => {
    const { body: events } = await client.get(`${base}/issues/${number}/timeline`);
    return events.flatMap(({ event, actor }: { event: string; actor?: { login: string } }) =>
      event === 'mentioned' ? [actor?.login] : [],
    );
  };
  expect(await references()).toEqual([]);
  await asBob.post(`${pull}/reviews/${body.id}/events`, { event: 'COMMENT' });
  expect((await references()).sort()).toEqual([bob.login, eve.login].sort());
  const { body: crossed } = await client.get(`${base}/issues/${issue.number}/timeline`);
  expect(crossed).toMatchObject([{ event: 'cross-referenced', source: { issue: { number } } }]);
  // Only the text of the pull request itself closes issues.
  await w.settle();
  expect((await client.put(`${pull}/merge`, {})).status).toBe(200);
  await w.settle();
  expect((await client.get(`${base}/issues/${issue.number}`)).body.state).toBe('open');
});

test('lists of reviews send as many statements for one as for thirty', async () => {
  const { ada, asBob, pull } = await reviewSetting(w);
  await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: 'One.' });
  const few = await w.statements(ada, `${pull}/reviews`);
  expect(few).toBe(4);
  for (let at = 0; at < 29; at++) await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: `Review ${at}` });
  expect(await w.statements(ada, `${pull}/reviews`)).toBe(few);
});
