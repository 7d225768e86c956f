import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, token, settle, url } = await world({ vocabulary: 'github' });

test('an unmodified Octokit reads the events and the timeline of an issue that a commit closed', async () => {
  const [ada, bob] = [await user('ada'), await user('bob')];
  const octokit = new Octokit({ auth: await token(ada), baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  const engine = { owner: ada.login, repo: 'engine' };
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'engine', auto_init: true });
  const { data: issue } = await octokit.rest.issues.create({ ...engine, title: 'It stalls', body: `Ask @${bob.login}` });
  await octokit.rest.issues.create({ ...engine, title: 'Another', body: 'Like #1' });
  const content = Buffer.from('x').toString('base64');
  const { data: put } = await octokit.rest.repos.createOrUpdateFileContents({
    ...engine,
    path: 'a.txt',
    message: 'Fixes #1',
    content,
  });
  await settle();

  const one = { ...engine, issue_number: issue.number };
  const events = await octokit.paginate(octokit.rest.issues.listEvents, { ...one, per_page: 2 });
  expect(events.map(({ event, actor, commit_id }) => [event, actor.login, commit_id])).toEqual([
    ['mentioned', 'bob', null],
    ['subscribed', 'bob', null],
    ['referenced', 'ada', put.commit.sha],
    ['closed', 'ada', put.commit.sha],
  ]);
  const { data: ofRepository } = await octokit.rest.issues.listEventsForRepo(engine);
  expect(ofRepository.map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
  const { data: closed } = await octokit.rest.issues.getEvent({ ...engine, event_id: events.at(-1)?.id ?? 0 });
  expect(closed).toMatchObject({ event: 'closed', issue: { number: 1, state: 'closed' }, performed_via_github_app: null });
  const { data: timeline } = await octokit.rest.issues.listEventsForTimeline(one);
  const reference = timeline.find(({ event }) => event === 'cross-referenced');
  expect(reference).toMatchObject({ source: { type: 'issue', issue: { number: 2, performed_via_github_app: null } } });
});
