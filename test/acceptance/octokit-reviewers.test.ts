import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { addCommit, diskOf, point } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

const clientFor = async (who: Account) =>
  new Octokit({
    auth: await w.token(who),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });

test('an unmodified Octokit asks for reviews, reads errors of code owners, and sets caps', async () => {
  const [ada, grace] = [await w.user('ada'), await w.user('grace')];
  const acme = await w.org(ada, 'acme');
  const engine = await w.repo(acme, { name: 'engine', by: ada });
  await w.collaborator(engine, grace, 'write');
  const gitRepository = diskOf(w, engine);
  const first = await addCommit(gitRepository, { files: { CODEOWNERS: '*.js @grace\n! @ada\n' }, message: 'First' });
  const next = await addCommit(gitRepository, { files: { 'a.js': '1' }, parents: [first], message: 'Second' });
  await point(w, engine, 'refs/heads/main', first);
  await point(w, engine, 'refs/heads/topic', next);
  const { rest, request, paginate } = await clientFor(ada);
  const at = { owner: 'acme', repo: 'engine' };

  const { data: team } = await rest.teams.create({ org: 'acme', name: 'Reds', privacy: 'closed' });
  await rest.teams.addOrUpdateRepoPermissionsInOrg({ org: 'acme', team_slug: team.slug, ...at, permission: 'pull' });
  const { data: pull } = await rest.pulls.create({ ...at, title: 'One', head: 'topic', base: 'main' });
  const here = { ...at, pull_number: pull.number };
  await w.settle();
  const { data: asked } = await rest.pulls.listRequestedReviewers(here);
  expect([asked.users.map(({ login }) => login), asked.teams]).toEqual([['grace'], []]);
  const { data: changed } = await rest.pulls.requestReviewers({ ...here, team_reviewers: [team.slug] });
  expect([changed.requested_reviewers?.length, changed.requested_teams?.map(({ slug }) => slug)]).toEqual([1, ['reds']]);
  await rest.pulls.removeRequestedReviewers({ ...here, reviewers: ['grace'] });
  const events = await paginate(rest.issues.listEvents, { ...at, issue_number: pull.number });
  expect(events.map(({ event }) => event)).toEqual(['review_requested', 'review_requested', 'review_request_removed']);
  await expect(rest.pulls.requestReviewers({ ...here, reviewers: ['ada'] })).rejects.toMatchObject({
    status: 422,
    response: { data: { message: 'Review cannot be requested from pull request author.' } },
  });

  const { data: wrong } = await rest.repos.codeownersErrors(at);
  expect(wrong.errors).toMatchObject([{ line: 2, kind: 'Invalid pattern', path: 'CODEOWNERS' }]);

  const caps = 'repos/{owner}/{repo}/interaction-limits/pulls';
  const cap = await request(`PATCH /${caps}/creation-cap`, { ...at, enabled: true, max_open_pull_requests: 2 });
  expect(cap.data).toEqual({ enabled: true, max_open_pull_requests: 2 });
  await request(`PUT /${caps}/bypass-list`, { ...at, users: ['grace'] });
  expect((await request(`GET /${caps}/bypass-list`, at)).data).toMatchObject([{ login: 'grace' }]);
  await request(`DELETE /${caps}/bypass-list`, { ...at, users: ['grace'] });
});
