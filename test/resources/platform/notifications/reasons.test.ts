// Each reason of document 2 by its cause, as far as the cause is there.
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { laterReasons, reasons } from '#resources/platform/notifications/index.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage, reasonsIn } from './stage.ts';

const w = await world();

test('the reasons are those of document 2, those of later causes with what brings them', () => {
  const documented = [
    'approval_requested',
    'assign',
    'author',
    'ci_activity',
    'comment',
    'invitation',
    'manual',
    'member_feature_requested',
    'mention',
    'review_requested',
    'state_change',
    'subscribed',
    'team_mention',
  ];
  expect([...reasons, ...Object.keys(laterReasons)].toSorted()).toEqual(documented);
  for (const cause of Object.values(laterReasons)) expect(cause).not.toBe('');
});

test('author, comment, state_change and manual: by what somebody did before, others are why they are told later', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const { open, comment } = await makeStage(w, ada);
  const asAda = await w.as(ada);
  const asBob = await w.as(bob);
  const issue = await open(bob);
  expect(await reasonsIn(asBob)).toEqual([]);
  await comment(eve, issue);
  expect(await reasonsIn(asBob)).toEqual(['author']);
  expect(await reasonsIn(asAda)).toEqual(['subscribed']);
  await comment(bob, issue);
  await comment(eve, issue);
  expect(await reasonsIn(asBob)).toEqual(['comment']);
  await asBob.patch(issue, { state: 'closed' });
  await w.settle();
  expect(await reasonsIn(await w.as(eve))).toEqual(['comment']);
  await comment(eve, issue);
  expect(await reasonsIn(asBob)).toEqual(['state_change']);
  const [thread] = await inbox(asAda);
  await asAda.put(`/notifications/threads/${thread?.id}/subscription`);
  await comment(eve, issue);
  expect(await reasonsIn(asAda)).toEqual(['manual']);
});

test('assign: who is assigned is told, and goes on to be told; who assigns themselves is told of what others do', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, comment, repo } = await makeStage(w, ada);
  await w.collaborator(repo, bob, 'write');
  const issue = await open(ada);
  const [asAda, asBob] = [await w.as(ada), await w.as(bob)];
  await asAda.post(`${issue}/assignees`, { assignees: [bob.login] });
  await asAda.post(`${issue}/assignees`, { assignees: [ada.login] });
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual(['assign']);
  expect(await reasonsIn(asAda)).toEqual([]);
  await comment(bob, issue);
  expect(await reasonsIn(asAda)).toEqual(['assign']);
});

test('an issue that is opened with an assignee who is mentioned in it tells them of the last of both', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, repo } = await makeStage(w, ada);
  await w.collaborator(repo, bob, 'write');
  await open(ada, { assignees: [bob.login], body: `See to it, @${bob.login}` });
  expect(await reasonsIn(await w.as(bob))).toEqual(['assign']);
});

test('mention: in an issue, in a comment, and by an edit that adds it; it stays the reason later', async () => {
  const [ada, bob, carl, dora] = [await w.user(), await w.user(), await w.user(), await w.user()];
  const { open, comment } = await makeStage(w, ada);
  const clients = [await w.as(bob), await w.as(carl), await w.as(dora)];
  const all = () => Promise.all(clients.map((client) => reasonsIn(client)));
  const issue = await open(ada, { body: `@${bob.login} may know` });
  expect(await all()).toEqual([['mention'], [], []]);
  const made = await comment(ada, issue, `and @${carl.login}`);
  expect(await all()).toEqual([['mention'], ['mention'], []]);
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  await (await w.as(ada)).patch(new URL(made.url).pathname.replace('/api/v3', ''), {
    body: `and @${carl.login}, @${dora.login}`,
  });
  for (const client of clients) for (const { id } of await inbox(client)) await client.patch(`/notifications/threads/${id}`);
  await w.settle();
  expect(await all()).toEqual([[], [], ['mention']]);
  await comment(ada, issue);
  expect(await all()).toEqual([['mention'], ['mention'], ['mention']]);
});

test('team_mention: members of a team and of those below it, unless the team wants no notifications', async () => {
  const [ada, bob, carl, eve] = [await w.user(), await w.user(), await w.user(), await w.user()];
  const org = await w.org(ada);
  for (const user of [bob, carl, eve]) await w.member(org, user);
  const repo = await w.repo(org, { by: ada });
  const crew = await team(w, org, { privacy: 'closed' });
  const below = await team(w, org, { privacy: 'closed', parent: crew.id });
  const quiet = await team(w, org, { privacy: 'closed', notification_setting: 'notifications_disabled' });
  const join = (to: typeof crew, user: Account) =>
    w.change((scope) => setTeamMember(scope, { team: to, user, role: 'member', by: ada.id, now: w.clock.now }));
  await w.change((scope) => setTeamRole(scope, { team: crew, repository: repo, role: 'read', by: ada.id, now: w.clock.now }));
  await join(crew, bob);
  await join(below, carl);
  await join(quiet, eve);
  await w.settle();
  const base = `/repos/${org.login}/${repo.name}`;
  const body = `@${org.login}/${crew.slug} and @${org.login}/${quiet.slug}`;
  await (await w.as(ada)).post(`${base}/issues`, { title: 'Help', body });
  await w.settle();
  expect(await reasonsIn(await w.as(bob))).toEqual(['team_mention']);
  expect(await reasonsIn(await w.as(carl))).toEqual(['team_mention']);
  expect(await reasonsIn(await w.as(eve))).toEqual([]);
});

test('subscribed: who watches is told of issues, comments and states, but not of labels; who ignores is told of nothing', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const { open, base } = await makeStage(w, ada);
  const [asAda, asBob, asEve] = [await w.as(ada), await w.as(bob), await w.as(eve)];
  await asBob.put(`${base}/subscription`, { subscribed: true });
  await asEve.put(`${base}/subscription`, { ignored: true });
  const issue = await open(ada, { body: `@${eve.login}` });
  const [told] = (await asBob.get('/notifications')).body;
  expect(told).toMatchObject({ reason: 'subscribed', unread: true, last_read_at: null, subject: { type: 'Issue' } });
  await asBob.put('/notifications');
  await asAda.post(`${issue}/labels`, { labels: ['bug'] });
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual([]);
  await asAda.patch(issue, { state: 'closed' });
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual(['subscribed']);
  expect(await reasonsIn(asEve, '/notifications?all=true')).toEqual([]);
});

test('invitation: who accepts one is told of the repository; who is added without being asked is not', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { base, repo } = await makeStage(w, ada, 'private');
  const [asAda, asBob] = [await w.as(ada), await w.as(bob)];
  await asAda.put(`${base}/collaborators/${bob.login}`);
  const [invitation] = (await asBob.get('/user/repository_invitations')).body;
  await asBob.patch(`/user/repository_invitations/${invitation.id}`);
  await w.settle();
  const { body } = await asBob.get('/notifications');
  const url = `${w.url}/api/v3${base}`;
  const title = `Invitation to ${ada.login}/${repo.name}`;
  expect(body).toMatchObject([
    { reason: 'invitation', subject: { title, url, latest_comment_url: url, type: 'RepositoryInvitation' } },
  ]);
  const subscription = `/notifications/threads/${body[0].id}/subscription`;
  expect((await asBob.put(subscription, { ignored: true })).body).toMatchObject({ ignored: true });

  const org = await w.org(ada);
  await w.member(org, bob);
  const shared = await w.repo(org, { by: ada });
  await asAda.put(`/repos/${org.login}/${shared.name}/collaborators/${bob.login}`, { permission: 'push' });
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual(['invitation']);
});

test('of several reasons for one event the strongest is told', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, comment, base } = await makeStage(w, ada);
  const asBob = await w.as(bob);
  await asBob.put(`${base}/subscription`, {});
  const issue = await open(bob);
  await comment(bob, issue);
  await comment(ada, issue, `@${bob.login}, is it so?`);
  expect(await reasonsIn(asBob)).toEqual(['mention']);
});
