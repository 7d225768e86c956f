import { expect, test } from 'vitest';
import { eventsOf } from '#test/support/apps.ts';
import { fresh, type World, world } from '#test/support/world.ts';

/** A team with one below it, and people of an organization. */
async function setting(w: World) {
  const [owner, member, other] = [await w.user(fresh('owner')), await w.user(fresh('member')), await w.user(fresh('other'))];
  const org = await w.org(owner);
  for (const user of [member, other]) await w.member(org, user);
  const asOwner = await w.as(owner);
  const path = `/orgs/${org.login}/teams`;
  const top = (await asOwner.post(path, { name: 'Top', privacy: 'closed' })).body;
  const low = (await asOwner.post(path, { name: 'Low', parent_team_id: top.id })).body;
  await asOwner.delete(`${path}/low/memberships/${owner.login}`);
  return { owner, member, other, org, asOwner, path, top, low };
}

const logins = (reply: { body: { login: string }[] }) => reply.body.map(({ login }) => login);

test('members come, change and go, and those of a team below are in the one above', async () => {
  const w = await world();
  const { owner, member, other, org, asOwner, path, top } = await setting(w);
  const asMember = await w.as(member);

  expect(await asOwner.put(`${path}/low/memberships/${member.login}`)).toMatchObject({
    status: 200,
    body: { role: 'member', state: 'active' },
  });
  expect(await asOwner.put(`${path}/low/memberships/${member.login}`, { role: 'maintainer' })).toMatchObject({
    body: { role: 'maintainer', state: 'active' },
  });
  expect(await asMember.put(`${path}/low/memberships/${other.login}`, { role: 'member' })).toMatchObject({ status: 200 });
  expect(logins(await asMember.get(`${path}/low/members`))).toEqual([member.login, other.login]);
  expect(logins(await asMember.get(`${path}/low/members?role=maintainer`))).toEqual([member.login]);
  expect(logins(await asMember.get(`${path}/low/members?role=member`))).toEqual([other.login]);

  expect(logins(await asMember.get(`/teams/${top.id}/members`))).toEqual([owner.login, member.login, other.login]);
  expect(logins(await asMember.get(`${path}/top/members?role=maintainer`))).toEqual([owner.login]);
  expect((await asMember.get(`${path}/top/memberships/${member.login}`)).body).toMatchObject({ role: 'member', state: 'active' });
  expect((await asMember.get(`/teams/${top.id}/members/${member.login}`)).status).toBe(204);
  expect((await asMember.get(`${path}/top`)).body).toMatchObject({ members_count: 3 });

  expect((await asMember.delete(`${path}/top/memberships/${other.login}`)).status).toBe(403);
  expect((await asOwner.delete(`${path}/top/memberships/${other.login}`)).status).toBe(404);
  expect((await (await w.as(other)).delete(`${path}/low/memberships/${other.login}`)).status).toBe(204);
  expect((await asMember.get(`${path}/low/memberships/${other.login}`)).status).toBe(404);
  expect((await eventsOf(w, org)).slice(-4)).toEqual([
    'team.member_added',
    'team.member_changed',
    'team.member_added',
    'team.member_removed',
  ]);
});

test('the older operations add, tell and remove members of the organization alone', async () => {
  const w = await world();
  const { member, asOwner, low, org } = await setting(w);
  const guest = await w.user();
  const members = `/teams/${low.id}/members`;
  expect((await asOwner.put(`${members}/${member.login}`)).status).toBe(204);
  expect((await asOwner.get(`${members}/${member.login}`)).status).toBe(204);
  expect((await asOwner.get(`${members}/${guest.login}`)).status).toBe(404);
  for (const login of [guest.login, org.login])
    expect(await asOwner.put(`${members}/${login}`)).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'TeamMember', field: 'username' }] },
    });
  await asOwner.put(`/teams/${low.id}/memberships/${member.login}`, { role: 'maintainer' });
  await asOwner.put(`${members}/${member.login}`);
  expect((await asOwner.get(`/teams/${low.id}/memberships/${member.login}`)).body.role).toBe('maintainer');
  expect((await asOwner.delete(`${members}/${member.login}`)).status).toBe(204);
  expect((await asOwner.delete(`${members}/${member.login}`)).status).toBe(404);
});

test('a team is renamed by its id, and somebody leaves it by its id', async () => {
  const w = await world();
  const { member, asOwner, path, low } = await setting(w);
  expect((await asOwner.patch(`/teams/${low.id}`, { name: 'Lower', description: 'Below the top' })).body).toMatchObject({
    slug: 'lower',
    description: 'Below the top',
  });
  await asOwner.put(`/teams/${low.id}/memberships/${member.login}`);
  expect(logins(await asOwner.get(`${path}/lower/members`))).toEqual([member.login]);
  expect((await asOwner.delete(`/teams/${low.id}/memberships/${member.login}`)).status).toBe(204);
  expect(logins(await asOwner.get(`${path}/lower/members`))).toEqual([]);
});

test('who isn’t a member is invited by owners, waits, and comes into the teams by accepting', async () => {
  const w = await world();
  const { owner, member, org, asOwner, path, top } = await setting(w);
  const guest = await w.user();
  const [asGuest, asMember] = [await w.as(guest), await w.as(member)];
  await asOwner.put(`${path}/top/memberships/${member.login}`, { role: 'maintainer' });

  await w.unchanged(['memberships', 'team_invitations', 'team_members', 'events'], async () => {
    expect((await asMember.put(`${path}/top/memberships/${guest.login}`)).status).toBe(403);
    expect(await asOwner.put(`${path}/top/memberships/${org.login}`)).toMatchObject({ status: 422 });
    expect(await asOwner.put(`${path}/top/memberships/${guest.login}`, { role: 'owner' })).toMatchObject({ status: 422 });
  });
  const invited = await asOwner.put(`${path}/top/memberships/${guest.login}`, { role: 'maintainer' });
  expect(invited).toMatchObject({ status: 200, body: { role: 'maintainer', state: 'pending' } });
  await asOwner.put(`${path}/low/memberships/${guest.login}`);

  const list = await asMember.get(`${path}/top/invitations`);
  expect(list.body).toMatchObject([
    { login: guest.login, email: null, role: 'direct_member', inviter: { login: owner.login }, team_count: 2 },
  ]);
  expect((await asOwner.get(`/teams/${top.id}/invitations`)).body).toEqual(list.body);
  expect((await asMember.get(`${path}/low/invitations`)).status).toBe(404);
  expect((await asMember.get(`${path}/top/memberships/${guest.login}`)).body.state).toBe('pending');
  expect((await asMember.get(`${path}/low/memberships/${guest.login}`)).status).toBe(404);
  expect((await asGuest.get(`${path}/top`)).status).toBe(404);
  expect((await asMember.get(`${path}/top`)).body.members_count).toBe(2);

  expect((await asOwner.delete(`${path}/low/memberships/${guest.login}`)).status).toBe(204);
  await asGuest.patch(`/user/memberships/orgs/${org.login}`, { state: 'active' });
  expect((await asGuest.get(`${path}/top/memberships/${guest.login}`)).body).toMatchObject({
    role: 'maintainer',
    state: 'active',
  });
  expect((await asGuest.get(`${path}/low/memberships/${guest.login}`)).status).toBe(404);
  expect((await asOwner.get(`${path}/top/invitations`)).body).toEqual([]);
  expect((await eventsOf(w, org)).slice(-6)).toEqual([
    'member.invited',
    'team.member_invited',
    'team.member_invited',
    'team.member_invitation_canceled',
    'member.added',
    'team.member_added',
  ]);
});

test('an invitation into a team ends with the one into the organization', async () => {
  const w = await world();
  const { org, asOwner, path } = await setting(w);
  const guest = await w.user();
  await asOwner.put(`${path}/top/memberships/${guest.login}`);
  await asOwner.delete(`/orgs/${org.login}/memberships/${guest.login}`);
  expect((await asOwner.get(`${path}/top/invitations`)).body).toEqual([]);
  await asOwner.put(`/orgs/${org.login}/memberships/${guest.login}`);
  await (await w.as(guest)).patch(`/user/memberships/orgs/${org.login}`, { state: 'active' });
  expect((await asOwner.get(`${path}/top/memberships/${guest.login}`)).status).toBe(404);
});

test('lists of members and invitations cost as many statements for 1 as for many', async () => {
  const w = await world();
  const { owner, org, asOwner, path } = await setting(w);
  const lists = [`${path}/top/members`, `${path}/top/invitations`];
  const counts = async () => [await w.statements(owner, lists[0] ?? ''), await w.statements(owner, lists[1] ?? '')];
  const invite = async (user = w.user()) => asOwner.put(`${path}/top/memberships/${(await user).login}`);
  await invite();
  const before = await counts();
  for (let i = 0; i < 10; i++) {
    await invite();
    const user = await w.user();
    await w.member(org, user);
    await asOwner.put(`${path}/top/memberships/${user.login}`);
  }
  expect([(await asOwner.get(lists[0] ?? '')).body.length, (await asOwner.get(lists[1] ?? '')).body.length]).toEqual([11, 11]);
  expect(await counts()).toEqual(before);
});
