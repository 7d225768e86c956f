import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { withdrawRequest } from '#resources/collaboration/pulls/index.ts';
import { loadPulls } from '#resources/collaboration/pulls/store.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { world } from '#test/support/world.ts';
import { type PullSetting, pullSetting } from './setting.ts';

const w = await world();

type Named = { login: string };
const logins = (users: Named[]) => users.map(({ login }) => login);
const slugs = (teams: { slug: string }[]) => teams.map(({ slug }) => slug);

/** A pull request in an organization's repository, with people who may be asked to review it. */
async function requesting(more: Parameters<typeof pullSetting>[1] = {}) {
  const at = await pullSetting(w, { ownedBy: 'organization', ...more });
  await at.commit('topic', { 'b.txt': 'new\n' });
  const number = await at.open('topic');
  const path = `${at.base}/pulls/${number}`;
  const reviewer = async (role: 'read' | 'triage' | 'write' = 'read') => {
    const user = await w.user();
    await w.collaborator(at.repo, user, role);
    return user;
  };
  const grace = await reviewer();
  return { ...at, number, path, asked: `${path}/requested_reviewers`, grace, reviewer };
}

/** A closed team that may read the repository, with these people. */
async function reviewingTeam({ client, owner, base }: PullSetting, people: Account[], privacy = 'closed', role = 'pull') {
  const made = await team(w, owner, { privacy: privacy as 'closed' });
  for (const user of people) {
    await w.member(owner, user);
    await client.put(`/orgs/${owner.login}/teams/${made.slug}/memberships/${user.login}`);
  }
  await client.put(`/orgs/${owner.login}/teams/${made.slug}${base}`, { permission: role });
  return made;
}

test('people and teams are asked, shown everywhere, and asked no more', async () => {
  const at = await requesting();
  const { client, asked, path, base, number, grace, ada } = at;
  const reds = await reviewingTeam(at, []);
  expect((await client.get(asked)).body).toEqual({ users: [], teams: [] });
  const wanted = { reviewers: [grace.login.toUpperCase()], team_reviewers: [reds.slug] };
  const reply = await client.post(asked, wanted);
  expect(reply.status).toBe(201);
  expect(reply.body).toMatchObject({ number, requested_reviewers: [{ login: grace.login }] });
  expect(reply.body.requested_teams).toMatchObject([{ slug: reds.slug, parent: null }]);
  await client.post(asked, wanted);
  const { body: requests } = await client.get(asked);
  expect([logins(requests.users), slugs(requests.teams)]).toEqual([[grace.login], [reds.slug]]);
  for (const body of [(await client.get(path)).body, (await client.get(`${base}/pulls`)).body[0]])
    expect([logins(body.requested_reviewers), slugs(body.requested_teams)]).toEqual([[grace.login], [reds.slug]]);
  const removed = await client.delete(asked, wanted);
  expect(removed).toMatchObject({ status: 200, body: { requested_reviewers: [], requested_teams: [] } });
  expect((await client.delete(asked, { reviewers: [grace.login, 'nobody-here'] })).status).toBe(200);
  const { body: events } = await client.get(`${base}/issues/${number}/events`);
  const who = { actor: { login: ada.login }, review_requester: { login: ada.login } };
  expect(events).toMatchObject([
    { event: 'review_requested', requested_reviewer: { login: grace.login }, ...who },
    { event: 'review_requested', requested_team: { slug: reds.slug }, ...who },
    { event: 'review_request_removed', requested_reviewer: { login: grace.login }, ...who },
    { event: 'review_request_removed', requested_team: { slug: reds.slug }, ...who },
  ]);
  expect(events).toHaveLength(4);
  const { body: timeline } = await client.get(`${base}/issues/${number}/timeline`);
  expect(timeline.filter(({ event }: { event: string }) => event !== 'committed')).toMatchObject(events);
});

test('who may not be asked is refused, and nobody is asked', async () => {
  const at = await requesting();
  const { client, asked, grace, ada, owner, repo } = at;
  const [stranger, elsewhere] = [await w.user(), await team(w, await w.org(ada))];
  const blind = await team(w, owner);
  const refusal =
    'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a ' +
    `collaborator of the ${owner.login}/${repo.name} repository.`;
  await w.unchanged(['review_requests', 'issue_events', 'events', 'issues'], async () => {
    for (const wrong of [
      { reviewers: [grace.login, stranger.login] },
      { reviewers: ['nobody-here'] },
      { reviewers: [owner.login] },
      { reviewers: [grace.login], team_reviewers: ['no-team'] },
      { team_reviewers: [elsewhere.slug] },
      { team_reviewers: [blind.slug] },
    ])
      expect(await client.post(asked, wrong)).toMatchObject({ status: 422, body: { message: refusal } });
    expect(await client.post(asked, { reviewers: [ada.login] })).toMatchObject({
      status: 422,
      body: { message: 'Review cannot be requested from pull request author.' },
    });
    const many = Array.from({ length: 16 }, (_, at) => `user-${at}`);
    for (const wrong of [{}, { reviewers: [] }, { reviewers: 'ada' }, { reviewers: [7] }, { reviewers: many }])
      expect((await client.post(asked, wrong)).status).toBe(422);
    expect((await client.delete(asked, { team_reviewers: [] })).status).toBe(422);
    expect((await client.post(`${at.base}/pulls/99/requested_reviewers`, { reviewers: [grace.login] })).status).toBe(404);
  });
});

test('who may triage asks, and nobody else does', async () => {
  const { asked, grace, reviewer, ada, owner, repo } = await requesting();
  const wanted = { reviewers: [grace.login] };
  const [reads, triages] = [await w.as(grace), await w.as(await reviewer('triage'))];
  const limited = await w.as(await w.fineGrained(ada, owner, { pull_requests: 'read' }, [repo]));
  await w.unchanged(['review_requests'], async () => {
    for (const client of [reads, limited]) {
      expect((await client.post(asked, wanted)).status).toBe(403);
      expect((await client.delete(asked, wanted)).status).toBe(403);
    }
    expect((await (await w.as(undefined)).post(asked, wanted)).status).toBe(401);
  });
  expect((await triages.post(asked, wanted)).status).toBe(201);
  expect(logins((await (await w.as(undefined)).get(asked)).body.users)).toEqual([grace.login]);
});

test('a secret team is shown to those who may see it', async () => {
  const at = await requesting();
  const { client, asked, path, base, number, grace } = at;
  const spies = await reviewingTeam(at, [], 'secret');
  await client.post(asked, { reviewers: [grace.login], team_reviewers: [spies.slug] });
  expect(slugs((await client.get(path)).body.requested_teams)).toEqual([spies.slug]);
  for (const who of [grace, undefined]) {
    const other = await w.as(who);
    expect((await other.get(path)).body).toMatchObject({ requested_reviewers: [{ login: grace.login }], requested_teams: [] });
    expect((await other.get(asked)).body.teams).toEqual([]);
    const { body: events } = await other.get(`${base}/issues/${number}/events`);
    expect(events).toHaveLength(2);
    expect(events[1]).not.toHaveProperty('requested_team');
  }
});

test('a review ends the request to a person and to the teams that this person is in', async () => {
  const at = await requesting();
  const { client, asked, grace, reviewer, repo, number } = at;
  const other = await reviewer();
  const [hers, others] = [await reviewingTeam(at, [grace]), await reviewingTeam(at, [other])];
  await client.post(asked, { reviewers: [grace.login, other.login], team_reviewers: [hers.slug, others.slug] });
  const { id } = await w.db
    .selectFrom('issues')
    .select('id')
    .where('repository_id', '=', repo.id)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  const pull = (await loadPulls(w.db, [id])).get(id);
  if (!pull) throw new Error('There is no pull request');
  await w.change((scope) => withdrawRequest(scope, pull, grace.id));
  const { body } = await client.get(asked);
  expect([logins(body.users), slugs(body.teams)]).toEqual([[other.login], [others.slug]]);
});

test('people and teams who lose their access are asked no more, and the conversation tells it', async () => {
  const at = await requesting();
  const { client, asked, base, number, grace, reviewer, owner } = at;
  const other = await reviewer();
  const [leaving, staying] = [await reviewingTeam(at, []), await reviewingTeam(at, [])];
  await client.post(asked, { reviewers: [grace.login, other.login], team_reviewers: [leaving.slug, staying.slug] });
  await client.delete(`${base}/collaborators/${grace.login}`);
  await client.delete(`/orgs/${owner.login}/teams/${leaving.slug}${base}`);
  await w.settle();
  const { body } = await client.get(asked);
  expect([logins(body.users), slugs(body.teams)]).toEqual([[other.login], [staying.slug]]);
  const { body: events } = await client.get(`${base}/issues/${number}/events`);
  const removed = events.filter(({ event }: { event: string }) => event === 'review_request_removed');
  expect(removed).toHaveLength(2);
  expect(removed).toContainEqual(
    expect.objectContaining({ requested_reviewer: expect.objectContaining({ login: grace.login }) }),
  );
});

test('at most 100 are asked to review a pull request', async () => {
  const { client, asked, reviewer } = await requesting();
  const many: string[] = [];
  for (let made = 0; made < 101; made++) many.push((await reviewer()).login);
  for (let from = 0; from < 90; from += 15)
    expect((await client.post(asked, { reviewers: many.slice(from, from + 15) })).status).toBe(201);
  await w.unchanged(['review_requests', 'issue_events', 'events'], async () => {
    expect((await client.post(asked, { reviewers: many.slice(90, 101) })).status).toBe(422);
  });
  expect((await client.post(asked, { reviewers: many.slice(90, 100) })).status).toBe(201);
  expect((await client.get(asked)).body.users).toHaveLength(100);
});

test('two requests at once ask everybody once', async () => {
  const { client, asked, grace, reviewer, base, number } = await requesting();
  const other = await reviewer();
  const both = { reviewers: [grace.login, other.login] };
  const replies = await Promise.all([client.post(asked, both), client.post(asked, both)]);
  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
  expect((await client.get(`${base}/issues/${number}/events`)).body).toHaveLength(2);
});

test('a list takes as many statements for one pull request as for many', async () => {
  const at = await requesting();
  const { client, commit, open, base, ada, reviewer } = at;
  const reds = await reviewingTeam(at, []);
  const asks = async (number: number) =>
    client.post(`${base}/pulls/${number}/requested_reviewers`, {
      reviewers: [(await reviewer()).login],
      team_reviewers: [reds.slug],
    });
  await asks(1);
  await w.statements(ada, `${base}/pulls`);
  const one = await w.statements(ada, `${base}/pulls`);
  for (let made = 0; made < 9; made++) {
    await commit(`topic-${made}`, { [`${made}.txt`]: 'new\n' });
    await asks(await open(`topic-${made}`));
  }
  expect((await client.get(`${base}/pulls`)).body).toHaveLength(10);
  expect(await w.statements(ada, `${base}/pulls`)).toBe(one);
  const [few, requests] = [await w.statements(ada, `${base}/issues/1/events`), `${base}/pulls/1/requested_reviewers`];
  for (let made = 0; made < 5; made++) await asks(1);
  expect(await w.statements(ada, `${base}/issues/1/events`)).toBe(few);
  expect(await w.statements(ada, requests)).toBeLessThanOrEqual(6);
});
