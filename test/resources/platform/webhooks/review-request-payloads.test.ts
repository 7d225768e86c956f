import { expect, test } from 'vitest';
import { addCommit, diskOf, point } from '#test/resources/code/commits/setting.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { heard, listening, parts } from './listening.ts';

test('each person and team who is asked for a review, or no more, is told by itself', async () => {
  const { here, owner, org, client, target } = await listening();
  const repo = await here.repo(org, { by: owner });
  const grace = await here.user();
  await here.collaborator(repo, grace, 'read');
  const reds = await team(here, org, { privacy: 'secret' });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`/orgs/${org.login}/teams/${reds.slug}${base}`, { permission: 'pull' });
  const first = await addCommit(diskOf(here, repo), { files: { a: '1' }, message: 'First' });
  const next = await addCommit(diskOf(here, repo), { files: { b: '2' }, parents: [first], message: 'Second' });
  await point(here, repo, 'refs/heads/main', first);
  await point(here, repo, 'refs/heads/topic', next);
  expect((await client.post(`${base}/pulls`, { title: 'One', head: 'topic', base: 'main' })).status).toBe(201);
  await heard(here, target);
  const path = `${base}/pulls/1/requested_reviewers`;
  const teams = { reviewers: [], team_reviewers: [reds.slug] };
  await client.post(path, { reviewers: [grace.login] });
  expect(await heard(here, target)).toMatchObject({
    'pull_request.review_requested': {
      number: 1,
      pull_request: { number: 1, requested_reviewers: [{ login: grace.login }] },
      requested_reviewer: { login: grace.login },
      repository: { name: repo.name },
      ...parts(org, owner),
    },
  });
  await client.post(path, teams);
  expect((await heard(here, target))['pull_request.review_requested']).toMatchObject({
    pull_request: { requested_teams: [{ slug: reds.slug }] },
    requested_team: { slug: reds.slug, name: reds.name },
  });
  await client.delete(path, teams);
  expect(await heard(here, target)).toMatchObject({
    'pull_request.review_request_removed': { requested_team: { slug: reds.slug } },
  });
  await client.post(path, teams);
  await client.delete(path, { reviewers: [grace.login] });
  expect(await heard(here, target)).toMatchObject({
    'pull_request.review_requested': { requested_team: { slug: reds.slug } },
    'pull_request.review_request_removed': { requested_reviewer: { login: grace.login } },
  });
});
