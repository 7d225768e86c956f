import { expect, test } from 'vitest';
import type { WriteScope } from '#endpoint/scope.ts';
import { deleteTeam, setTeamMember, setTeamRole, unsetTeamMember, unsetTeamRole } from '#resources/identity/teams/index.ts';
import { loadTeams } from '#resources/identity/teams/store.ts';
import { eventsOf } from '#test/support/apps.ts';
import { overlapping } from '#test/support/race.ts';
import { world } from '#test/support/world.ts';
import { chain, changed, team } from './setting.ts';

const organization = async () => {
  const w = await world();
  const owner = await w.user();
  const org = await w.org(owner);
  const actor = { by: owner.id, now: w.clock.now };
  return { w, owner, org, actor };
};

const refusedField = (field: string, code = 'invalid') => ({ errors: [{ resource: 'Team', field, code }] });

test('a team is secret unless said otherwise, and closed below another', async () => {
  const { w, org } = await organization();
  const [alone, top] = [await team(w, org), await team(w, org, { name: 'Core Engines', privacy: 'closed' })];
  const below = await team(w, org, { parent: top.id });
  expect(alone).toMatchObject({ privacy: 'secret', parent_id: null, ancestors: [alone.id] });
  expect(top).toMatchObject({ slug: 'core-engines', privacy: 'closed' });
  expect(below).toMatchObject({ privacy: 'closed', parent_id: top.id, ancestors: [below.id, top.id] });
  expect(await eventsOf(w, org)).toEqual(['organization.created', 'team.created', 'team.created', 'team.created']);
});

test('refuses a name that is taken or leaves no slug', async () => {
  const { w, org } = await organization();
  await team(w, org, { name: 'Brakes' });
  await expect(team(w, org, { name: 'brakes!' })).rejects.toMatchObject(refusedField('name', 'already_exists'));
  await expect(team(w, org, { name: '!!!' })).rejects.toMatchObject(refusedField('name'));
});

test('a parent is of the same organization and not secret', async () => {
  const { w, owner, org } = await organization();
  const elsewhere = await team(w, await w.org(owner), { privacy: 'closed' });
  const [secret, open] = [await team(w, org), await team(w, org, { privacy: 'closed' })];
  await expect(team(w, org, { parent: elsewhere.id })).rejects.toMatchObject(refusedField('parent_team_id'));
  await expect(team(w, org, { parent: secret.id })).rejects.toMatchObject(refusedField('parent_team_id'));
  await expect(team(w, org, { parent: open.id, privacy: 'secret' })).rejects.toMatchObject(refusedField('privacy'));
});

test('ancestors stay right when a team with others below it moves', async () => {
  const { w, org, actor } = await organization();
  const [a, b, c, d] = await chain(w, org, 4);
  const [x, y] = await chain(w, org, 2);
  if (!a || !b || !c || !d || !x || !y) throw new Error('the teams were not made');
  const ancestors = async () => {
    const teams = await loadTeams(w.db, [a.id, b.id, c.id, d.id]);
    return [a, b, c, d].map(({ id }) => teams.get(id)?.ancestors);
  };
  expect(await ancestors()).toEqual([[a.id], [b.id, a.id], [c.id, b.id, a.id], [d.id, c.id, b.id, a.id]]);

  await w.change((scope) => changed(scope, { ...actor, team: b, wanted: { parent: y.id } }));
  expect(await ancestors()).toEqual([[a.id], [b.id, y.id, x.id], [c.id, b.id, y.id, x.id], [d.id, c.id, b.id, y.id, x.id]]);

  await w.change((scope) => changed(scope, { ...actor, team: c, wanted: { parent: null } }));
  expect(await ancestors()).toEqual([[a.id], [b.id, y.id, x.id], [c.id], [d.id, c.id]]);
});

test('a team never stands below itself, not even by two moves at once', async () => {
  const { w, org, actor } = await organization();
  const [a, b] = await chain(w, org, 2);
  const [c] = await chain(w, org, 1);
  if (!a || !b || !c) throw new Error('the teams were not made');
  const move = (one: typeof a, under: typeof a) =>
    w.change((scope) => changed(scope, { ...actor, team: one, wanted: { parent: under.id } }));

  await expect(move(a, b)).rejects.toMatchObject(refusedField('parent_team_id'));
  await expect(move(a, a)).rejects.toMatchObject(refusedField('parent_team_id'));
  const under = (one: typeof a, parent: typeof a) => (scope: WriteScope) =>
    changed(scope, { ...actor, team: one, wanted: { parent: parent.id } });
  expect(await overlapping(w, under(a, c), under(c, b))).toEqual(['done', 'invalid']);
});

test('a team with others around it does not turn secret, and a rename keeps what is not named', async () => {
  const { w, org, actor } = await organization();
  const [top, below] = await chain(w, org, 2);
  if (!top || !below) throw new Error('the teams were not made');
  const change = (one: typeof top, wanted: object) => w.change((scope) => changed(scope, { ...actor, team: one, wanted }));

  await expect(change(top, { privacy: 'secret' })).rejects.toMatchObject(refusedField('privacy'));
  await expect(change(below, { privacy: 'secret' })).rejects.toMatchObject(refusedField('privacy'));
  await expect(change(below, { name: top.name })).rejects.toMatchObject(refusedField('name', 'already_exists'));
  expect(await change(below, { name: 'New Name', description: 'd' })).toMatchObject({
    slug: 'new-name',
    description: 'd',
    parent_id: top.id,
    ancestors: [below.id, top.id],
  });
  expect(await change(below, { description: null })).toMatchObject({ name: 'New Name', description: null });
});

test('deleting a team deletes those below it', async () => {
  const { w, org, actor } = await organization();
  const [top, middle, low] = await chain(w, org, 3);
  if (!top || !middle || !low) throw new Error('the teams were not made');
  await w.change((scope) => deleteTeam(scope, { ...actor, team: middle }));
  expect([...(await loadTeams(w.db, [top.id, middle.id, low.id])).keys()]).toEqual([top.id]);
  expect((await eventsOf(w, org)).slice(-2)).toEqual(['team.deleted', 'team.deleted']);
});

test('only active members of the organization are put into its teams', async () => {
  const { w, owner, org, actor } = await organization();
  const [one, guest] = [await team(w, org), await w.user()];
  const join = (user: typeof guest, role: 'member' | 'maintainer') =>
    w.change((scope) => setTeamMember(scope, { ...actor, team: one, user, role }));

  await expect(join(guest, 'member')).rejects.toMatchObject({ errors: [{ resource: 'TeamMember', field: 'username' }] });
  await (await w.as(owner)).put(`/orgs/${org.login}/memberships/${guest.login}`);
  await expect(join(guest, 'member')).rejects.toMatchObject({ errors: [{ field: 'username' }] });
  await (await w.as(guest)).patch(`/user/memberships/orgs/${org.login}`, { state: 'active' });
  await join(guest, 'member');
  await join(guest, 'member');
  await join(guest, 'maintainer');
  await w.change((scope) => unsetTeamMember(scope, { ...actor, team: one, user: guest }));
  await expect(w.change((scope) => unsetTeamMember(scope, { ...actor, team: one, user: guest }))).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect((await eventsOf(w, org)).slice(-3)).toEqual(['team.member_added', 'team.member_changed', 'team.member_removed']);
});

test('a role given to a team holds for those below it, and ends with the membership', async () => {
  const { w, owner, org, actor } = await organization();
  await (await w.as(owner)).patch(`/orgs/${org.login}`, { default_repository_permission: 'none' });
  const [top, below] = await chain(w, org, 2);
  if (!top || !below) throw new Error('the teams were not made');
  const user = await w.user();
  await w.member(org, user);
  const repository = await w.repo(org, { visibility: 'private', by: owner });
  const client = await w.as(user);
  const permissions = async () => (await client.get(`/repos/${org.login}/${repository.name}`)).body.permissions;

  await w.change((scope) => setTeamMember(scope, { ...actor, team: below, user, role: 'member' }));
  expect(await permissions()).toBeUndefined();
  await w.change((scope) => setTeamRole(scope, { ...actor, team: top, repository, role: 'triage' }));
  expect(await permissions()).toMatchObject({ triage: true, push: false });
  await w.change((scope) => setTeamRole(scope, { ...actor, team: below, repository, role: 'maintain' }));
  expect(await permissions()).toMatchObject({ maintain: true, admin: false });
  await w.change((scope) => unsetTeamRole(scope, { ...actor, team: below, repository }));
  expect(await permissions()).toMatchObject({ triage: true, push: false });

  await (await w.as(owner)).delete(`/orgs/${org.login}/members/${user.login}`);
  expect(await permissions()).toBeUndefined();
  expect((await eventsOf(w, org)).slice(-2)).toEqual(['team.member_removed', 'member.removed']);
});

test('a team gets no role in another account’s repository', async () => {
  const { w, owner, org, actor } = await organization();
  const repository = await w.repo(owner);
  const one = await team(w, org);
  await expect(w.change((scope) => setTeamRole(scope, { ...actor, team: one, repository, role: 'read' }))).rejects.toMatchObject({
    errors: [{ field: 'repository' }],
  });
});
