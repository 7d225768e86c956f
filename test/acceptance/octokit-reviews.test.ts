import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, token, settle, url } = await world({ vocabulary: 'github' });

test('two people review a pull request on its lines by an unmodified Octokit', async () => {
  const clientOf = async (login: string) =>
    new Octokit({ auth: await token(await user(login)), baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  const [ada, bob] = [await clientOf('ada'), await clientOf('bob')];
  const engine = { owner: 'ada', repo: 'engine' };
  await ada.rest.repos.createForAuthenticatedUser({ name: 'engine', auto_init: true });
  const { data: main } = await ada.rest.git.getRef({ ...engine, ref: 'heads/main' });
  await ada.rest.git.createRef({ ...engine, ref: 'refs/heads/topic', sha: main.object.sha });
  const put = async (text: string, sha?: string) =>
    (
      await ada.rest.repos.createOrUpdateFileContents({
        ...engine,
        path: 'pump.txt',
        message: 'Pump',
        content: Buffer.from(text).toString('base64'),
        branch: 'topic',
        ...(sha === undefined ? {} : { sha }),
      })
    ).data;
  const { content, commit } = await put('one\ntwo\nthree\n');
  const { data: opened } = await ada.rest.pulls.create({ ...engine, title: 'Pump', head: 'topic', base: 'main' });
  const pull = { ...engine, pull_number: opened.number };

  const { data: pending } = await bob.rest.pulls.createReview({
    ...pull,
    comments: [{ path: 'pump.txt', line: 3, start_line: 2, side: 'RIGHT', start_side: 'RIGHT', body: '```suggestion\n3\n```' }],
  });
  expect((await ada.rest.pulls.listReviews(pull)).data).toEqual([]);
  const { data: review } = await bob.rest.pulls.submitReview({ ...pull, review_id: pending.id, event: 'REQUEST_CHANGES' });
  expect(review).toMatchObject({ id: pending.id, state: 'CHANGES_REQUESTED', commit_id: commit.sha, user: { login: 'bob' } });
  const { data: comments } = await ada.rest.pulls.listCommentsForReview({ ...pull, review_id: review.id });
  expect(comments).toMatchObject([{ path: 'pump.txt', line: 3, start_line: 2, pull_request_review_id: review.id }]);
  const comment_id = comments[0]?.id ?? 0;
  await ada.rest.pulls.createReplyForReviewComment({ ...pull, comment_id, body: 'Done.' });
  await ada.rest.reactions.createForPullRequestReviewComment({ ...engine, comment_id, content: '+1' });

  const { commit: second } = await put('zero\none\ntwo\nthree\n', content?.sha ?? '');
  await settle();
  const moved = await bob.paginate(bob.rest.pulls.listReviewComments, { ...pull, per_page: 1 });
  expect(moved).toMatchObject([
    { line: 4, start_line: 3, position: 4, original_line: 3, commit_id: second.sha, original_commit_id: commit.sha },
    { line: 4, in_reply_to_id: comment_id, body: 'Done.' },
  ]);
  expect(moved[0]?.reactions?.['+1']).toBe(1);

  const { data: dismissed } = await ada.rest.pulls.dismissReview({ ...pull, review_id: review.id, message: 'It was done.' });
  expect(dismissed.state).toBe('DISMISSED');
  await bob.rest.pulls.createReview({ ...pull, event: 'APPROVE' });
  const reviews = await ada.paginate(ada.rest.pulls.listReviews, { ...pull, per_page: 1 });
  expect(reviews.map(({ state }) => state)).toEqual(['DISMISSED', 'COMMENTED', 'APPROVED']);
  await expect(ada.rest.pulls.createReview({ ...pull, event: 'APPROVE' })).rejects.toMatchObject({ status: 422 });
  const { data: timeline } = await ada.rest.issues.listEventsForTimeline({ ...engine, issue_number: pull.pull_number });
  const events = timeline.map(({ event }) => event).filter((event) => event !== 'committed');
  expect(events.toSorted()).toEqual(['line-commented', 'review_dismissed', 'reviewed', 'reviewed', 'reviewed']);
  const { data: last } = await ada.rest.pulls.get(pull);
  expect(last.review_comments).toBe(2);
});
