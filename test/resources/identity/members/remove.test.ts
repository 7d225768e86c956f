import { expect, test } from 'vitest';
import { removeMember } from '#resources/identity/members/rules.ts';
import { createTeam, setTeamMember } from '#resources/identity/teams/index.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { overlapping } from '#test/support/race.ts';
import { world } from '#test/support/world.ts';
import { asOwned, setting } from './setting.ts';

test.each(['members', 'memberships'])('an owner removes a member by /%s, who reaches nothing private any more', async (kind) => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const repository = await w.repo(org, { visibility: 'private', by: owner });
  await w.collaborator(repository, member, 'admin');
  const asMember = await w.as(member);
  expect((await asMember.get(`/repos/${org.login}/${repository.name}`)).status).toBe(200);

  expect((await (await w.as(owner)).delete(`${path}/${kind}/${member.login}`)).status).toBe(204);

  expect((await asMember.get(`/repos/${org.login}/${repository.name}`)).status).toBe(404);
  expect((await asMember.get(`/user/memberships${path}`)).status).toBe(404);
  expect((await eventsOf(w, org)).slice(-2)).toEqual(['collaborator.removed', 'member.removed']);
  expect((await (await w.as(owner)).delete(`${path}/${kind}/${member.login}`)).status).toBe(404);
});

test('somebody who is put into a team while being removed is in neither', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const by = { account: owner, grant: { kind: 'none' } as const };
  const team = await w.change((scope) => createTeam(scope, { org, wanted: { name: 'Rotors' }, by: owner.id, now: w.clock.now }));

  const outcomes = await overlapping(
    w,
    (scope) => setTeamMember(scope, { team, user: member, role: 'member', by: owner.id, now: w.clock.now }),
    (scope) => removeMember(scope, { org: asOwned(org), user: member, by, now: w.clock.now }),
  );

  expect(outcomes).toEqual(['done', 'done']);
  expect(await w.db.selectFrom('team_members').selectAll().where('team_id', '=', team.id).execute()).toEqual([]);
  expect((await (await w.as(owner)).get(`${path}/members/${member.login}`)).status).toBe(404);
});

test('a member leaves alone, but removes nobody, whether or not they are a member', async () => {
  const w = await world();
  const { owner, member, stranger, path } = await setting(w);
  const client = await w.as(member);
  for (const { login } of [owner, stranger]) {
    expect((await client.delete(`${path}/memberships/${login}`)).status).toBe(403);
    expect((await client.delete(`${path}/members/${login}`)).status).toBe(403);
  }
  expect((await client.delete(`${path}/memberships/${member.login}`)).status).toBe(204);
  expect((await client.delete(`${path}/memberships/${member.login}`)).status).toBe(403);
});

test('the last owner stays, until there is another', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const client = await w.as(owner);
  await w.unchanged(['events'], async () => {
    expect((await client.delete(`${path}/memberships/${owner.login}`)).status).toBe(403);
    const app = await w.as((await installApp(w, { on: org, permissions: { members: 'write' } })).token);
    expect((await app.delete(`${path}/members/${owner.login}`)).status).toBe(403);
  });
  await client.put(`${path}/memberships/${member.login}`, { role: 'admin' });
  expect((await client.delete(`${path}/memberships/${owner.login}`)).status).toBe(204);
});

test('removing somebody who is only invited withdraws the invitation and keeps their direct roles', async () => {
  const w = await world();
  const { owner, stranger, org, path } = await setting(w);
  const repository = await w.repo(org, { visibility: 'private', by: owner });
  await w.collaborator(repository, stranger, 'read');
  const client = await w.as(owner);
  await client.put(`${path}/memberships/${stranger.login}`);

  expect((await client.delete(`${path}/memberships/${stranger.login}`)).status).toBe(204);

  expect((await eventsOf(w, org)).at(-1)).toBe('member.invitation_canceled');
  expect((await (await w.as(stranger)).get(`/user/memberships${path}`)).status).toBe(404);
  expect((await (await w.as(stranger)).get(`/repos/${org.login}/${repository.name}`)).status).toBe(200);
});

test('a credential without members:write or admin:org removes nobody', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const other = await w.org(owner);
  const url = `${path}/members/${member.login}`;
  const reader = await installApp(w, { on: org, permissions: { members: 'read' } });
  const elsewhere = await installApp(w, { on: other, permissions: { members: 'write' } });
  const status = async (token: string | undefined) => (await (await w.as(token)).delete(url)).status;

  expect(await status(undefined)).toBe(401);
  expect(await status(await w.token(owner, ['write:org', 'repo']))).toBe(403);
  expect(await status(await w.fineGrained(owner, org, { members: 'read' }))).toBe(403);
  expect(await status(await w.fineGrained(owner, other, { members: 'write' }))).toBe(403);
  expect(await status(reader.token)).toBe(403);
  expect(await status(elsewhere.token)).toBe(403);
  expect(await status(await elsewhere.userToken(owner))).toBe(403);
  expect(await status(await w.fineGrained(owner, org, { members: 'write' }))).toBe(204);
});
