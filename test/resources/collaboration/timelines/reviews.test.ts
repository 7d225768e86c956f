import { expect, test } from 'vitest';
import { loadDecidingReviews } from '#resources/collaboration/reviews/index.ts';
import { reviewSetting } from '#test/resources/collaboration/reviews/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
};

test('the timeline of a pull request has its reviews and conversations between its comments', async () => {
  const { ada, bob, client, asBob, base, pull, number, head } = await reviewSetting(w);
  const issue = `${base}/issues/${number}`;
  const told = async (query = '') =>
    (await client.get(`${issue}/timeline${query}`)).body.filter(({ event }: { event: string }) => event !== 'committed');
  later();
  await client.post(`${issue}/comments`, { body: 'Please.' });
  const comments = [{ path: 'new.txt', line: 1, body: 'Why?' }];
  const { body: review } = await asBob.post(`${pull}/reviews`, { comments, body: 'Hm.' });
  expect(await told()).toMatchObject([{ event: 'commented' }]);
  later();
  await asBob.post(`${pull}/reviews/${review.id}/events`, { event: 'REQUEST_CHANGES' });
  const [{ id }] = (await client.get(`${pull}/comments`)).body;
  later();
  await client.post(`${pull}/comments/${id}/replies`, { body: 'So.' });
  later();
  await client.put(`${pull}/reviews/${review.id}/dismissals`, { message: 'It is so.' });
  const all = await told();
  const kinds = async (query: string) =>
    (await client.get(`${issue}/timeline${query}`)).body.map(({ event }: { event: string }) => event);
  const named = new Set(await kinds(''));
  expect(named).toEqual(new Set(['committed', 'commented', 'reviewed', 'line-commented', 'review_dismissed']));
  for (const event of named)
    expect(await kinds(`?exclude=${event}`)).toEqual((await kinds('')).filter((other: string) => other !== event));
  expect(all).toMatchObject([
    { event: 'commented' },
    {
      event: 'reviewed',
      id: review.id,
      state: 'dismissed',
      body: 'Hm.',
      commit_id: head,
      user: { login: bob.login },
      author_association: 'NONE',
    },
    {
      event: 'line-commented',
      comments: [
        { id, body: 'Why?' },
        { in_reply_to_id: id, body: 'So.' },
      ],
    },
    // The review to which the reply belongs.
    { event: 'reviewed', state: 'commented', body: '', user: { login: ada.login } },
    { event: 'review_dismissed', dismissed_review: { review_id: review.id, state: 'changes_requested' } },
  ]);
  const few = await w.statements(ada, `${issue}/timeline`);
  for (let at = 0; at < 20; at++) {
    later();
    await asBob.post(`${pull}/reviews`, { event: 'COMMENT', body: `Review ${at}`, comments });
  }
  expect(await w.statements(ada, `${issue}/timeline?per_page=100`)).toBe(few);
  const whole = (await client.get(`${issue}/timeline?per_page=100`)).body;
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => client.get(`${issue}/timeline?per_page=10&page=${page}`)));
  expect(pages.flatMap(({ body }) => body)).toEqual(whole);
  expect(whole.filter(({ event }: { event: string }) => event === 'reviewed')).toHaveLength(22);
});

test('the latest deciding review of each reviewer is known for many pull requests at once', async () => {
  const { bob, asBob, base, pull, number, client } = await reviewSetting(w);
  const eve = await w.user();
  const asEve = await w.as(eve);
  const { id: issue } = (await client.get(`${base}/issues/${number}`)).body;
  const words = async () => {
    const rows = await loadDecidingReviews(w.db, [issue]);
    return new Map(rows.map(({ author_id, state }) => [author_id, state]));
  };
  expect(await words()).toEqual(new Map());
  const submit = async (who: typeof asBob, event: string) => {
    later();
    return (await who.post(`${pull}/reviews`, { event, body: 'x' })).body.id;
  };
  await submit(asBob, 'REQUEST_CHANGES');
  await submit(asEve, 'APPROVE');
  const approval = await submit(asBob, 'APPROVE');
  await submit(asBob, 'COMMENT');
  await asEve.post(`${pull}/reviews`, { body: 'Pending.' });
  expect(await words()).toEqual(
    new Map([
      [bob.id, 'APPROVED'],
      [eve.id, 'APPROVED'],
    ]),
  );
  await client.put(`${pull}/reviews/${approval}/dismissals`, { message: 'x' });
  expect((await words()).get(bob.id)).toBe('DISMISSED');
});
