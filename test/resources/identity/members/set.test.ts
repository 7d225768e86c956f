import { expect, test } from 'vitest';
import type { WriteScope } from '#endpoint/scope.ts';
import { acceptMembership, removeMember, setMembership } from '#resources/identity/members/rules.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { overlapping } from '#test/support/race.ts';
import { world } from '#test/support/world.ts';
import { asOwned, setting } from './setting.ts';

test('an owner invites somebody, who accepts', async () => {
  const w = await world();
  const { owner, stranger, org, path } = await setting(w);
  const [asOwner, asGuest] = [await w.as(owner), await w.as(stranger)];

  const invited = await asOwner.put(`${path}/memberships/${stranger.login}`, { role: 'admin' });
  expect(invited).toMatchObject({
    status: 200,
    body: {
      state: 'pending',
      role: 'admin',
      user: { login: stranger.login },
      organization: { login: org.login },
      permissions: { can_create_repository: false },
    },
  });
  expect((await asGuest.get(`${path}/memberships/${stranger.login}`)).status).toBe(404);
  expect((await asGuest.get(`/user/memberships${path}`)).body).toMatchObject({ state: 'pending' });

  const accepted = await asGuest.patch(`/user/memberships${path}`, { state: 'active' });
  expect(accepted).toMatchObject({ status: 200, body: { state: 'active', role: 'admin' } });
  expect((await asGuest.get(`${path}/memberships/${owner.login}`)).body).toMatchObject({ state: 'active', role: 'admin' });
  expect(await eventsOf(w, org)).toEqual(['organization.created', 'member.invited', 'member.added']);

  await asGuest.patch(`/user/memberships${path}`, { state: 'active' });
  expect(await eventsOf(w, org)).toHaveLength(3);
});

test('who is invited is for owners to know', async () => {
  const w = await world();
  const { owner, member, stranger, path } = await setting(w);
  const url = `${path}/memberships/${stranger.login}`;
  await (await w.as(owner)).put(url);
  expect((await (await w.as(owner)).get(url)).body).toMatchObject({ state: 'pending' });
  expect((await (await w.as(member)).get(url)).status).toBe(404);
});

test('nobody accepts what they were not offered, nor anything but active', async () => {
  const w = await world();
  const { stranger, member, path } = await setting(w);
  expect((await (await w.as(stranger)).patch(`/user/memberships${path}`, { state: 'active' })).status).toBe(404);
  for (const body of [{ state: 'pending' }, { state: 7 }, {}]) {
    const reply = await (await w.as(member)).patch(`/user/memberships${path}`, body);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'OrganizationMembership', field: 'state' }] } });
  }
});

test('a role changes, but an owner does not demote themselves, and one owner stays', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const asOwner = await w.as(owner);
  const app = await w.as((await installApp(w, { on: org, permissions: { members: 'write' } })).token);

  expect((await app.put(`${path}/memberships/${owner.login}`, { role: 'member' })).status).toBe(403);
  expect((await asOwner.put(`${path}/memberships/${member.login}`, { role: 'admin' })).body.role).toBe('admin');
  expect((await asOwner.put(`${path}/memberships/${owner.login}`, { role: 'member' })).status).toBe(403);
  expect((await app.put(`${path}/memberships/${owner.login}`, { role: 'member' })).body.role).toBe('member');
  expect(await eventsOf(w, org)).toEqual(['organization.created', 'member.changed', 'member.changed']);
});

test('two owners who demote each other at once leave one', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  await (await w.as(owner)).put(`${path}/memberships/${member.login}`, { role: 'admin' });
  const demote = (user: typeof owner, by: typeof owner) => (scope: WriteScope) =>
    setMembership(scope, {
      org: asOwned(org),
      user,
      role: 'member',
      by: { account: by, grant: { kind: 'none' } },
      now: w.clock.now,
    });

  expect(await overlapping(w, demote(member, owner), demote(owner, member))).toEqual(['done', 'forbidden']);

  const rows = await w.db.selectFrom('memberships').selectAll().where('organization_id', '=', org.id).execute();
  expect(rows.filter((row) => row.role === 'owner').map((row) => row.user_id)).toEqual([owner.id]);
});

test('somebody who accepts while the invitation is withdrawn does not get in', async () => {
  const w = await world();
  const { owner, stranger, org, path } = await setting(w);
  await (await w.as(owner)).put(`${path}/memberships/${stranger.login}`);
  const step = (by: typeof owner) => ({
    org: asOwned(org),
    user: stranger,
    by: { account: by, grant: { kind: 'none' } as const },
    now: w.clock.now,
  });

  const outcomes = await overlapping(
    w,
    (scope) => removeMember(scope, step(owner)),
    (scope) => acceptMembership(scope, step(stranger)),
  );

  expect(outcomes).toEqual(['done', 'not_found']);
  expect((await (await w.as(stranger)).get(`/user/memberships${path}`)).status).toBe(404);
});

test.each([{ role: 'boss' }, { role: 3 }])('refuses %o, naming the field, and invites nobody', async (body) => {
  const w = await world();
  const { owner, stranger, path } = await setting(w);
  await w.unchanged(['events'], async () => {
    const reply = await (await w.as(owner)).put(`${path}/memberships/${stranger.login}`, body);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'OrganizationMembership', field: 'role' }] } });
  });
});

test('only an owner, by a credential that may write members, sets a membership', async () => {
  const w = await world();
  const { owner, member, stranger, org, path } = await setting(w);
  const url = `${path}/memberships/${stranger.login}`;
  const reader = await installApp(w, { on: org, permissions: { members: 'read' } });
  const writer = await installApp(w, { on: org, permissions: { members: 'write' } });
  const status = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).put(url)).status;

  expect(await status(undefined)).toBe(401);
  expect(await status(stranger)).toBe(403);
  expect(await status(member)).toBe(403);
  expect(await status(await w.token(owner, ['write:org']))).toBe(403);
  expect(await status(await w.fineGrained(owner, org, { members: 'read' }))).toBe(403);
  expect(await status(await w.fineGrained(member, org, { members: 'write' }))).toBe(403);
  expect(await status(reader.token)).toBe(403);
  expect(await status(await writer.userToken(member))).toBe(403);
  expect(await status(await w.token(owner, ['admin:org']))).toBe(200);
  expect(await status(await w.fineGrained(owner, org, { members: 'write' }))).toBe(200);
  expect(await status(writer.token)).toBe(200);
  expect(await status(await writer.userToken(owner))).toBe(200);
});

test('organizations, bots and the unknown are nobody to invite', async () => {
  const w = await world();
  const { owner, org, path } = await setting(w);
  const { bot } = await installApp(w, { on: org, permissions: {} });
  const client = await w.as(owner);
  for (const login of [org.login, bot.login, 'absent-person']) {
    expect((await client.put(`${path}/memberships/${encodeURIComponent(login)}`)).status).toBe(404);
  }
});
