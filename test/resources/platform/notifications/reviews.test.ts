// Who is told of reviews and of requests for them, why, and where their threads lead.
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { asRecorded } from '#events/read.ts';
import { fanOutIssueEvents } from '#resources/platform/notifications/jobs.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { reviewSetting } from '#test/resources/collaboration/reviews/setting.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import type { Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { inbox, reasonsIn } from './stage.ts';

const w = await world();

/** A pull request of ada's that bob reviews, and eve, who watches the repository. No inbox has anything. */
async function reviewing() {
  const at = await reviewSetting(w);
  const eve = await w.user();
  const asEve = await w.as(eve);
  await asEve.put(`${at.base}/subscription`, { subscribed: true });
  await w.settle();
  return { ...at, eve, asEve, api: `${w.url}/api/v3${at.base}` };
}

const review = async (client: Client, pull: string, wanted: object) => {
  const { status, body } = await client.post(`${pull}/reviews`, wanted);
  expect(status).toBe(200);
  await w.settle();
  return body;
};

const post = async (client: Client, path: string, wanted: object) => {
  const { status, body } = await client.post(path, wanted);
  expect(status).toBe(201);
  await w.settle();
  return body;
};

const latest = async (client: Client): Promise<string[]> =>
  (await client.get('/notifications')).body.map(
    ({ subject }: { subject: { latest_comment_url: string } }) => subject.latest_comment_url,
  );

/** A later second, in which everything is read. */
const readBy = async (...clients: Client[]) => {
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  for (const client of clients) await client.put('/notifications', {});
};

/** A pull request in a private repository of an organization, and people who may read it. */
async function requesting() {
  const at = await pullSetting(w, { ownedBy: 'organization', visibility: 'private' });
  await at.commit('topic', { 'b.txt': 'new\n' });
  const number = await at.open('topic');
  const reader = async () => {
    const user = await w.user();
    await w.collaborator(at.repo, user, 'read');
    return { user, client: await w.as(user) };
  };
  const people = [await reader(), await reader(), await reader()] as const;
  const pull = `${at.base}/pulls/${number}`;
  await w.settle();
  await readBy(at.client, ...people.map(({ client }) => client));
  return { ...at, pull, asked: `${pull}/requested_reviewers`, people };
}

type Setting = { client: Client; ada: Account; owner: Account; base: string };

/** A closed team that may read the repository, with these people. */
async function crew({ client, ada, owner, base }: Setting, people: Account[], more = {}) {
  const made = await team(w, owner, { privacy: 'closed', ...more });
  for (const user of people) {
    if (user !== ada) await w.member(owner, user);
    await client.put(`/orgs/${owner.login}/teams/${made.slug}/memberships/${user.login}`);
  }
  await client.put(`/orgs/${owner.login}/teams/${made.slug}${base}`, { permission: 'pull' });
  await w.settle();
  return made;
}

test('review_requested: the person who is asked is told, and of what follows; nobody else is, and no withdrawal takes it away', async () => {
  const at = await requesting();
  const { client, pull, asked, people } = at;
  const [bob, eve] = people;
  await post(client, asked, { reviewers: [bob.user.login] });
  expect(await inbox(bob.client)).toMatchObject([{ reason: 'review_requested', unread: true, title: 'Merge topic' }]);
  const { body: told } = await bob.client.get('/notifications');
  expect(told).toMatchObject([{ subject: { type: 'PullRequest', url: `${w.url}/api/v3${pull}` } }]);
  expect(await reasonsIn(eve.client)).toEqual([]);
  expect(await reasonsIn(client)).toEqual([]);
  await readBy(bob.client);
  // Who was asked already stays so: there is no other request.
  await post(client, asked, { reviewers: [bob.user.login] });
  expect(await reasonsIn(bob.client)).toEqual([]);
  await client.delete(asked, { reviewers: [bob.user.login] });
  await w.settle();
  expect(await inbox(bob.client, '/notifications?all=true')).toMatchObject([{ reason: 'review_requested', unread: false }]);
  await post(client, `${pull.replace('/pulls/', '/issues/')}/comments`, { body: 'Never mind.' });
  expect(await reasonsIn(bob.client)).toEqual(['review_requested']);
  await readBy(bob.client);
  await post(client, asked, { reviewers: [bob.user.login] });
  expect(await reasonsIn(bob.client)).toEqual(['review_requested']);
});

test('review_requested: the members of a team and of those below it, but for who asks; they are told of what follows', async () => {
  const at = await requesting();
  const { client, ada, pull, asked, people } = at;
  const [bob, eve] = people;
  const reds = await crew(at, [ada, bob.user], { notification_setting: 'notifications_disabled' });
  await crew(at, [eve.user], { parent: reds.id });
  await readBy(client, ...people.map((person) => person.client));
  await post(client, asked, { team_reviewers: [reds.slug] });
  const all = () => Promise.all([client, ...people.map((person) => person.client)].map((each) => reasonsIn(each)));
  expect(await all()).toEqual([[], ['review_requested'], ['review_requested'], []]);
  await readBy(bob.client, eve.client);
  await post(client, `${pull.replace('/pulls/', '/issues/')}/comments`, { body: 'Please.' });
  expect((await all()).slice(1, 3)).toEqual([['review_requested'], ['review_requested']]);
});

test('review_requested: who opened the pull request is not told as one of a team, nor who muted or ignores it', async () => {
  const at = await requesting();
  const { client, ada, pull, asked, people } = at;
  const [bob, eve] = people;
  const writer = await w.user();
  await w.member(at.owner, writer);
  await w.collaborator(at.repo, writer, 'write');
  const asWriter = await w.as(writer);
  const reds = await crew(at, [ada, bob.user, eve.user]);
  await post(client, `${pull.replace('/pulls/', '/issues/')}/comments`, {
    body: `@${bob.user.login} and @${eve.user.login}`,
  });
  for (const person of [bob, eve]) {
    const [thread] = await inbox(person.client);
    const subscription = `/notifications/threads/${thread?.id}/subscription`;
    if (person === bob) await person.client.delete(subscription);
    else await person.client.put(subscription, { ignored: true });
  }
  await w.settle();
  await readBy(client, bob.client, eve.client);
  await post(asWriter, asked, { team_reviewers: [reds.slug] });
  expect(await reasonsIn(client)).toEqual([]);
  expect(await reasonsIn(bob.client)).toEqual([]);
  expect(await reasonsIn(eve.client)).toEqual([]);
  const fresh = await w.user();
  await w.collaborator(at.repo, fresh, 'read');
  await post(asWriter, asked, { reviewers: [fresh.login] });
  expect(await reasonsIn(await w.as(fresh))).toEqual(['review_requested']);
});

test('a review is told to participants and watchers; who reviewed is told of later ones', async () => {
  const { client, asBob, asEve, pull, api, number } = await reviewing();
  await review(asBob, pull, { event: 'APPROVE', body: 'Well done.' });
  expect(await reasonsIn(client)).toEqual(['author']);
  expect(await reasonsIn(asEve)).toEqual(['subscribed']);
  expect(await reasonsIn(asBob)).toEqual([]);
  expect(await latest(client)).toEqual([`${api}/pulls/${number}`]);
  await review(asEve, pull, { event: 'COMMENT', body: 'Indeed.' });
  expect(await reasonsIn(asBob)).toEqual(['comment']);
});

test('a comment on the diff leads to the comment, for as long as that is there; so does a reply', async () => {
  const { client, asBob, asEve, base, pull, head, api, number } = await reviewing();
  const common = { commit_id: head, path: 'engine.txt', line: 5 };
  const first = await post(asBob, `${pull}/comments`, { ...common, body: 'Five?' });
  expect(await reasonsIn(client)).toEqual(['author']);
  expect(await latest(asEve)).toEqual([`${api}/pulls/comments/${first.id}`]);
  const reply = await post(client, `${pull}/comments/${first.id}/replies`, { body: 'Yes.' });
  expect(await inbox(asBob)).toMatchObject([{ reason: 'comment' }]);
  expect(await latest(asBob)).toEqual([`${api}/pulls/comments/${reply.id}`]);
  const shown = await asBob.get('/notifications');
  const since = { headers: { 'if-modified-since': String(shown.headers['last-modified']) } };
  expect((await asBob.get('/notifications', since)).status).toBe(304);
  await client.delete(`${base}/pulls/comments/${reply.id}`);
  await w.settle();
  expect((await asBob.get('/notifications', since)).status).toBe(200);
  expect(await latest(asBob)).toEqual([`${api}/pulls/${number}`]);
  const comment = await post(client, `${base}/issues/${number}/comments`, { body: 'All in all.' });
  expect(await latest(asBob)).toEqual([`${api}/issues/comments/${comment.id}`]);
  // What isn't a comment leaves the latest one as it was.
  await client.patch(pull, { state: 'closed' });
  await w.settle();
  expect(await latest(asBob)).toEqual([`${api}/issues/comments/${comment.id}`]);
});

test('a review with comments is told once; a pending one is told to nobody until it is submitted', async () => {
  const { client, ada, eve, asBob, asEve, repo, pull, head, api } = await reviewing();
  const carl = await w.user();
  const comments = [
    { path: 'engine.txt', line: 5, body: `Five, @${eve.login}?` },
    { path: 'engine.txt', line: 20, body: `Twenty, @${carl.login}?` },
  ];
  const pending = await review(asBob, pull, { commit_id: head, comments });
  expect([await reasonsIn(client), await reasonsIn(asEve), await reasonsIn(await w.as(carl))]).toEqual([[], [], []]);
  const { status } = await asBob.post(`${pull}/reviews/${pending.id}/events`, { event: 'COMMENT' });
  expect(status).toBe(200);
  await w.settle();
  const { body: made } = await client.get(`${pull}/reviews/${pending.id}/comments`);
  expect(await latest(client)).toEqual([`${api}/pulls/comments/${made[1].id}`]);
  const told = await w.db
    .selectFrom('notification_threads as t')
    .innerJoin('events as e', 'e.id', 't.event_id')
    .select(['t.account_id', 't.reason', 'e.kind'])
    .where('t.repository_id', '=', repo.id)
    .where('t.unread', '=', true)
    .orderBy('t.account_id')
    .execute();
  expect(told).toEqual(
    [
      { account_id: ada.id, reason: 'author' },
      { account_id: eve.id, reason: 'mention' },
      { account_id: carl.id, reason: 'mention' },
    ].map((each) => ({ ...each, kind: 'pull_request_review.submitted' })),
  );
  expect(await reasonsIn(asBob)).toEqual([]);
});

test('mentions of people and teams in a review; an edit of it or of its comment tells those newly mentioned alone', async () => {
  const at = await requesting();
  const { client, owner, base, pull, people, repo } = at;
  const [bob, eve, dora] = people;
  const reds = await crew(at, [eve.user]);
  const carl = await w.user();
  await w.collaborator(repo, carl, 'read');
  const clients = [client, eve.client, dora.client, await w.as(carl)];
  await readBy(...clients);
  const all = () => Promise.all(clients.map((each) => reasonsIn(each)));
  const comments = [{ path: 'b.txt', line: 1, body: 'New?' }];
  const body = `@${owner.login}/${reds.slug}, look`;
  const made = await review(bob.client, pull, { event: 'REQUEST_CHANGES', body, comments });
  expect(await all()).toEqual([['author'], ['team_mention'], [], []]);
  expect(await latest(client)).toEqual([`${w.url}/api/v3${pull}`]);
  await readBy(...clients);
  await bob.client.put(`${pull}/reviews/${made.id}`, { body: `${body}, and @${dora.user.login}` });
  await w.settle();
  expect(await all()).toEqual([[], [], ['mention'], []]);
  expect(await latest(dora.client)).toEqual([`${w.url}/api/v3${pull}`]);
  await readBy(...clients);
  const [comment] = (await client.get(`${pull}/reviews/${made.id}/comments`)).body;
  await bob.client.patch(`${base}/pulls/comments/${comment.id}`, { body: `New, @${carl.login}?` });
  await w.settle();
  expect(await all()).toEqual([[], [], [], ['mention']]);
  expect(await latest(clients[3] as Client)).toEqual([`${w.url}/api/v3${base}/pulls/comments/${comment.id}`]);
});

test('who may not read the repository is told of no review', async () => {
  const at = await requesting();
  const { client, pull, people, repo, base } = at;
  const [bob, eve] = people;
  await post(client, `${pull}/requested_reviewers`, { reviewers: [eve.user.login] });
  await readBy(eve.client);
  await client.delete(`${base}/collaborators/${eve.user.login}`);
  await review(bob.client, pull, { event: 'COMMENT', body: `@${eve.user.login}` });
  await w.collaborator(repo, eve.user, 'read');
  expect(await inbox(eve.client, '/notifications?all=true')).toMatchObject([{ reason: 'review_requested', unread: false }]);
});

test('lists with threads of reviews send the same statements, however many there are', async () => {
  const { eve, asBob, client, pull, commit, open, base, head } = await reviewing();
  await post(asBob, `${pull}/comments`, { commit_id: head, path: 'engine.txt', line: 5, body: 'Five?' });
  const one = await w.statements(eve, '/notifications');
  for (const name of ['b', 'c', 'd']) {
    await commit(name, { [`${name}.txt`]: 'x\n' });
    await review(asBob, `${base}/pulls/${await open(name)}`, { event: 'APPROVE' });
  }
  expect(await inbox(await w.as(eve))).toHaveLength(4);
  expect(await w.statements(eve, '/notifications')).toBe(one);
  expect(await reasonsIn(client)).toHaveLength(4);
});

test('reviews of several pull requests, and requests for them, are told by as many statements as one', async () => {
  const { ada, bob, client, asBob, base, repo, commit, open } = await reviewing();
  const eve = await w.user();
  await w.collaborator(repo, eve, 'read');
  for (const name of ['b', 'c', 'd']) {
    await commit(name, { [`${name}.txt`]: 'x\n' });
    const pull = `${base}/pulls/${await open(name)}`;
    await post(client, `${pull}/requested_reviewers`, { reviewers: [eve.login] });
    await review(asBob, pull, {
      event: 'COMMENT',
      body: `@${ada.login}`,
      comments: [{ path: `${name}.txt`, line: 1, body: 'x?' }],
    });
  }
  for (const kind of ['pull_request.review_requested', 'pull_request_review.submitted'] as const) {
    const rows = await w.db
      .selectFrom('events')
      .selectAll()
      .where('repository_id', '=', repo.id)
      .where('kind', '=', kind)
      .orderBy('id')
      .execute();
    expect(rows).toHaveLength(3);
    const sent = async (count: number) => {
      const events = rows.slice(0, count).map((row) => asRecorded(row) as never);
      return (await countStatements(() => fanOutIssueEvents.runAll(events, w.jobContext()))).statements.length;
    };
    const one = await sent(1);
    expect(one).toBeGreaterThan(2);
    expect(await sent(3)).toBe(one);
  }
  expect(await reasonsIn(await w.as(eve))).toEqual(['review_requested', 'review_requested', 'review_requested']);
  expect(await reasonsIn(await w.as(bob))).toEqual([]);
});
