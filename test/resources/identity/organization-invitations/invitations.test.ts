import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { enqueue } from '#jobs/job.ts';
import { addDays } from '#lib/time.ts';
import { verifyEmail } from '#resources/identity/accounts/index.ts';
import { expireInvitations } from '#resources/identity/members/jobs.ts';
import { setting } from '#test/resources/identity/members/setting.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { everyPage } from '#test/support/pages.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const accept = async (user: Account, org: Account) =>
  (await w.as(user)).patch(`/user/memberships/orgs/${org.login}`, { state: 'active' });

const expire = async () => {
  await w.change((scope) => enqueue(scope.tx, expireInvitations, {}));
  await w.settle();
};

/** The tables that an invitation may change. */
const tables = ['organization_invitations', 'team_invitations', 'memberships', 'events'];

test('an owner invites an account into teams; who accepts is in all of them', async () => {
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  const team = (await client.post(`${path}/teams`, { name: 'Crew', privacy: 'closed' })).body;

  const wanted = { invitee_id: stranger.id, role: 'admin', team_ids: [team.id, team.id] };
  const made = await client.post(`${path}/invitations`, wanted);
  expect(made).toMatchObject({
    status: 201,
    body: {
      login: stranger.login,
      email: null,
      role: 'admin',
      failed_at: null,
      failed_reason: null,
      inviter: { login: owner.login },
      team_count: 1,
      invitation_source: 'member',
    },
  });
  expect((await client.get(`${path}/invitations`)).body).toEqual([made.body]);
  expect((await client.get(`${path}/teams/crew/invitations`)).body).toEqual([made.body]);
  const teamsPath = made.body.invitation_teams_url.slice(`${w.url}/api/v3`.length);
  expect((await client.get(teamsPath)).body).toMatchObject([{ slug: 'crew' }]);
  expect((await client.get(`${path}/memberships/${stranger.login}`)).body).toMatchObject({ state: 'pending', role: 'admin' });

  expect(await accept(stranger, org)).toMatchObject({ status: 200, body: { state: 'active', role: 'admin' } });
  expect((await client.get(`${path}/invitations`)).body).toEqual([]);
  expect((await client.get(teamsPath)).status).toBe(404);
  expect((await client.get(`${path}/teams/crew/memberships/${stranger.login}`)).body.state).toBe('active');
  expect((await eventsOf(w, org)).slice(-4)).toEqual([
    'member.invited',
    'team.member_invited',
    'member.added',
    'team.member_added',
  ]);
});

test('memberships and teams make the same invitations, which are listed by their roles', async () => {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const [first, second] = [await w.user(), await w.user()];
  await client.post(`${path}/teams`, { name: 'Crew' });
  await client.put(`${path}/memberships/${first.login}`, { role: 'admin' });
  await client.put(`${path}/teams/crew/memberships/${second.login}`, { role: 'maintainer' });

  const { body } = await client.get(`${path}/invitations`);
  expect(body).toMatchObject([
    { login: first.login, role: 'admin', team_count: 0 },
    { login: second.login, role: 'direct_member', team_count: 1 },
  ]);
  const listed = async (query: string) => (await client.get(`${path}/invitations?${query}`)).body;
  expect(await listed('role=admin')).toEqual([body[0]]);
  expect(await listed('role=direct_member&invitation_source=member')).toEqual([body[1]]);
  expect([await listed('role=billing_manager'), await listed('role=hiring_manager')]).toEqual([[], []]);
  expect(await listed('invitation_source=scim')).toEqual([]);
  expect(await everyPage(client, `${path}/invitations?per_page=1`)).toEqual(body);

  await client.put(`${path}/memberships/${first.login}`, { role: 'member' });
  expect((await client.get(`${path}/invitations`)).body[0]).toEqual({ ...body[0], role: 'direct_member' });
  expect(await accept(second, org)).toMatchObject({ body: { role: 'member' } });
  expect((await client.get(`${path}/teams/crew/memberships/${second.login}`)).body).toMatchObject({ role: 'maintainer' });
});

test('an invitation by e-mail waits for who has that address, verified, and tells nobody who it is', async () => {
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  const email = `${fresh('grace')}@example.com`;
  const own = `/user/memberships/orgs/${org.login}`;
  const asStranger = await w.as(stranger);
  await asStranger.post('/user/emails', { emails: [email] });

  const { body } = await client.post(`${path}/invitations`, { email: email.toUpperCase() });
  expect(body).toMatchObject({ login: null, email: email.toUpperCase(), role: 'direct_member' });
  expect((await asStranger.get(own)).status).toBe(404);
  expect((await accept(stranger, org)).status).toBe(404);

  await w.change((scope) => verifyEmail(scope, { user: stranger, email, now: w.clock.now }));
  expect((await asStranger.get(own)).body).toMatchObject({ state: 'pending', role: 'member' });
  expect((await asStranger.get('/user/memberships/orgs?state=pending')).body).toMatchObject([
    { state: 'pending', organization: { login: org.login } },
  ]);
  expect((await client.get(`${path}/memberships/${stranger.login}`)).status).toBe(404);
  expect((await client.get(`${path}/invitations`)).body).toMatchObject([{ login: null }]);

  expect(await accept(stranger, org)).toMatchObject({ status: 200, body: { state: 'active' } });
  expect((await client.get(`${path}/invitations`)).body).toEqual([]);
  expect((await client.post(`${path}/invitations`, { email })).status).toBe(201);
});

test('two invitations to one person are accepted at once, with the stronger role', async () => {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const email = `${fresh('two')}@example.com`;
  const guest = await w.user(fresh('guest'), { email });
  await client.post(`${path}/invitations`, { invitee_id: guest.id });
  await client.post(`${path}/invitations`, { email, role: 'admin' });
  expect((await (await w.as(guest)).get('/user/memberships/orgs')).body).toHaveLength(1);
  expect((await accept(guest, org)).body).toMatchObject({ role: 'admin' });
  expect((await client.get(`${path}/invitations`)).body).toEqual([]);
});

test('after seven days an invitation has failed: it is accepted no more, and a new one takes its place', async () => {
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  const team = (await client.post(`${path}/teams`, { name: 'Crew' })).body;
  const { body } = await client.post(`${path}/invitations`, { invitee_id: stranger.id, team_ids: [team.id] });
  const made = w.clock.now;
  try {
    w.clock.now = new Date(addDays(made, 7).getTime() - 1);
    await expire();
    expect((await client.get(`${path}/failed_invitations`)).body).toEqual([]);

    w.clock.now = addDays(made, 7);
    expect((await accept(stranger, org)).status).toBe(404);
    await expire();
    const failed = { ...body, failed_at: '2026-01-08T00:00:00Z', failed_reason: expect.stringContaining('7 days') };
    expect((await client.get(`${path}/failed_invitations`)).body).toEqual([failed]);
    expect((await client.get(`${path}/invitations`)).body).toEqual([]);
    expect((await client.get(`${path}/teams/crew/invitations`)).body).toEqual([]);
    expect((await client.get(`${path}/memberships/${stranger.login}`)).status).toBe(404);
    expect((await (await w.as(stranger)).get(`/user/memberships/orgs/${org.login}`)).status).toBe(404);
    expect((await client.get(`${path}/invitations/${body.id}/teams`)).body).toMatchObject([{ slug: 'crew' }]);

    const again = await client.post(`${path}/invitations`, { invitee_id: stranger.id });
    expect(again).toMatchObject({ status: 201, body: { team_count: 0 } });
    expect((await client.get(`${path}/failed_invitations`)).body).toEqual([]);
    expect((await accept(stranger, org)).status).toBe(200);
    expect((await client.get(`${path}/teams/crew/memberships/${stranger.login}`)).status).toBe(404);
    expect(await eventsOf(w, org)).toContain('member.invitation_failed');
  } finally {
    w.clock.now = made;
  }
});

test('an invitation is withdrawn with its places in teams', async () => {
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  const team = (await client.post(`${path}/teams`, { name: 'Crew' })).body;
  const { body } = await client.post(`${path}/invitations`, { invitee_id: stranger.id, team_ids: [team.id] });
  expect((await client.delete(`${path}/invitations/${body.id}`)).status).toBe(204);
  expect((await client.delete(`${path}/invitations/${body.id}`)).status).toBe(404);
  expect((await accept(stranger, org)).status).toBe(404);
  expect((await client.get(`${path}/teams/crew/invitations`)).body).toEqual([]);
});

test('who was a member is reinstated with the role of then', async () => {
  const { owner, member, org, path } = await setting(w);
  const client = await w.as(owner);
  const reinstate = () => client.post(`${path}/invitations`, { invitee_id: member.id, role: 'reinstate' });
  expect(await reinstate()).toMatchObject({ status: 422, body: { errors: [{ field: 'invitee_id' }] } });
  await client.put(`${path}/memberships/${member.login}`, { role: 'admin' });
  await client.delete(`${path}/members/${member.login}`);
  expect(await reinstate()).toMatchObject({ status: 201, body: { role: 'admin' } });
  expect((await accept(member, org)).body).toMatchObject({ role: 'admin' });
  const email = 'somebody@example.com';
  const byEmail = await client.post(`${path}/invitations`, { email, role: 'reinstate' });
  expect(byEmail).toMatchObject({ status: 422, body: { errors: [{ field: 'role' }] } });
});

test('what is no invitation is refused, names the field, and changes nothing', async () => {
  const { owner, member, stranger, org, path } = await setting(w);
  const other = await setting(w);
  const client = await w.as(owner);
  const foreign = (await (await w.as(other.owner)).post(`${other.path}/teams`, { name: 'Crew' })).body;
  await client.post(`${path}/invitations`, { invitee_id: stranger.id });
  await client.post(`${path}/invitations`, { email: 'there@example.com' });
  const cases: [object, string][] = [
    [{}, 'invitee_id'],
    [{ invitee_id: 999_999_999 }, 'invitee_id'],
    [{ invitee_id: org.id }, 'invitee_id'],
    [{ invitee_id: member.id }, 'invitee_id'],
    [{ invitee_id: stranger.id }, 'invitee_id'],
    [{ invitee_id: 'ada' }, 'invitee_id'],
    [{ invitee_id: 0 }, 'invitee_id'],
    [{ email: 'no address' }, 'email'],
    [{ email: 'THERE@example.com' }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'email'],
    [{ email: 'a@example.com', invitee_id: other.stranger.id }, 'email'],
    [{ email: 'a@example.com', role: 'boss' }, 'role'],
    [{ email: 'a@example.com', role: 'billing_manager' }, 'role'],
    [{ email: 'a@example.com', role: 'reinstate' }, 'role'],
    [{ email: 'a@example.com', team_ids: [foreign.id] }, 'team_ids'],
    [{ email: 'a@example.com', team_ids: [999_999_999] }, 'team_ids'],
    [{ email: 'a@example.com', team_ids: Array.from({ length: 101 }, (_, at) => at + 1) }, 'team_ids'],
  ];
  await w.unchanged(tables, async () => {
    for (const [body, field] of cases) {
      const reply = await client.post(`${path}/invitations`, body);
      expect(reply, JSON.stringify(body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    }
    expect((await client.get(`${path}/invitations?role=boss`)).status).toBe(422);
  });
});

test('more than 500 invitations in a day are refused until the day is over', async () => {
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  await client.post(`${path}/invitations`, { email: 'first@example.com' });
  const key = `invitations-into:${org.id}`;
  await w.db.updateTable('rate_limits').set({ used: 500 }).where('key', '=', key).execute();
  await w.unchanged(tables, async () => {
    const replies = [
      await client.post(`${path}/invitations`, { email: 'second@example.com' }),
      await client.put(`${path}/memberships/${stranger.login}`),
    ];
    for (const reply of replies) expect(reply.status).toBe(429);
    expect(Number(replies[0]?.headers['retry-after'])).toBeGreaterThan(86_000);
  });
  await w.db
    .updateTable('rate_limits')
    .set({ window_ends: new Date(0) })
    .where('key', '=', key)
    .execute();
  expect((await client.post(`${path}/invitations`, { email: 'second@example.com' })).status).toBe(201);
});

test('invitations are for owners, and for apps with the permission', async () => {
  const { owner, member, stranger, org, path } = await setting(w);
  const { body } = await (await w.as(owner)).post(`${path}/invitations`, { invitee_id: stranger.id });
  const one = `${path}/invitations/${body.id}`;
  const reader = await installApp(w, { on: org, permissions: { members: 'read' } });
  for (const who of [member, stranger]) {
    const client = await w.as(who);
    for (const url of [`${path}/invitations`, `${path}/failed_invitations`, `${one}/teams`])
      expect((await client.get(url)).status).toBe(404);
    expect((await client.post(`${path}/invitations`, { email: 'a@example.com' })).status).toBe(403);
    expect((await client.delete(one)).status).toBe(403);
  }
  const app = await w.as(reader.token);
  expect((await app.get(`${path}/invitations`)).status).toBe(200);
  expect((await app.delete(one)).status).toBe(403);
});

test('lists cost as many statements for 1 as for many', async () => {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const first = (await client.post(`${path}/teams`, { name: 'Crew' })).body;
  const second = (await client.post(`${path}/teams`, { name: 'Hands' })).body;
  const { body } = await client.post(`${path}/invitations`, { email: 'a@example.com', team_ids: [first.id] });
  const lists = [`${path}/invitations`, `${path}/failed_invitations`, `${path}/invitations/${body.id}/teams`];
  await w.db.insertInto('organization_invitations').values(failedTo(org, 'old@example.com')).execute();
  const forOne = [];
  for (const list of lists) forOne.push(await w.statements(owner, list));
  for (let at = 0; at < 5; at++) {
    await client.post(`${path}/invitations`, { email: `${at}@example.com` });
    await w.db
      .insertInto('organization_invitations')
      .values(failedTo(org, `old${at}@example.com`))
      .execute();
  }
  const place = { team_id: second.id, invitation_id: body.id, role: 'member' as const, created_at: w.clock.now };
  await w.db.insertInto('team_invitations').values(place).execute();
  const forMany = [];
  for (const list of lists) forMany.push(await w.statements(owner, list));
  expect(forMany).toEqual(forOne);
  expect(forOne).toEqual([3, 3, 3]);
});

const failedTo = (org: Account, email: string) =>
  ({
    organization_id: org.id,
    email,
    role: 'member',
    created_at: w.clock.now,
    failed_at: w.clock.now,
    failed_reason: 'late',
  }) as const;
