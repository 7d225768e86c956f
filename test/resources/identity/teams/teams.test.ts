import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { fresh, type World, world } from '#test/support/world.ts';

/** An organization with an owner and a member, and a client of each. */
async function setting(w: World) {
  const [owner, member] = [await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, member);
  return { owner, member, org, path: `/orgs/${org.login}/teams`, asOwner: await w.as(owner), asMember: await w.as(member) };
}

const slugs = (reply: { body: { slug: string }[] }) => reply.body.map((row) => row.slug);
const refusedField = (field: string, code = 'invalid') => ({
  status: 422,
  body: { message: 'Validation Failed', errors: [{ resource: 'Team', field, code }] },
});

test('a member creates a team, maintains it, and finds it by its slug and by its id', async () => {
  const w = await world();
  const { owner, member, org, path, asMember } = await setting(w);
  const repo = await w.repo(org, { by: owner });
  await w.collaborator(repo, member, 'admin');
  const created = await asMember.post(path, {
    name: 'Core  Engines',
    description: 'All of them',
    maintainers: [owner.login],
    repo_names: [`${org.login}/${repo.name}`],
    permission: 'push',
    notification_setting: 'notifications_disabled',
  });
  expect(created).toMatchObject({
    status: 201,
    body: {
      slug: 'core-engines',
      description: 'All of them',
      privacy: 'secret',
      permission: 'push',
      notification_setting: 'notifications_disabled',
      members_count: 2,
      repos_count: 1,
      parent: null,
      organization: { login: org.login },
    },
  });
  expect((await asMember.get(`${path}/CORE-engines`)).body).toEqual(created.body);
  expect((await asMember.get(`/teams/${created.body.id}`)).body).toEqual(created.body);
  expect((await asMember.get(`${path}/core-engines/memberships/${member.login}`)).body).toEqual({
    url: `${w.url}/api/v3/teams/${created.body.id}/memberships/${member.login}`,
    role: 'maintainer',
    state: 'active',
  });
  const [own] = (await asMember.get('/user/teams')).body;
  expect(own).toEqual(created.body);
  expect((await asMember.get(`${path}/core-engines/repos`)).body).toMatchObject([{ id: repo.id, role_name: 'write' }]);
});

test('an organization may keep the creation of teams to its owners, and what is wrong creates nothing', async () => {
  const w = await world();
  const { member, org, path, asOwner, asMember } = await setting(w);
  const stranger = await w.user();
  const elsewhere = await w.repo(stranger);
  const theirs = await w.repo(org, { by: member });
  await w.unchanged(['teams', 'team_members', 'team_repositories', 'events'], async () => {
    expect(await asOwner.post(path, { name: '!!' })).toMatchObject(refusedField('name'));
    expect(await asOwner.post(path, { name: 'A', maintainers: [stranger.login] })).toMatchObject(
      refusedTeamMember('maintainers'),
    );
    expect(await asOwner.post(path, { name: 'A', maintainers: ['nobody-at-all'] })).toMatchObject(refusedField('maintainers'));
    expect(await asOwner.post(path, { name: 'A', repo_names: [`${stranger.login}/${elsewhere.name}`] })).toMatchObject(
      refusedField('repo_names'),
    );
    expect(await asMember.post(path, { name: 'A', repo_names: [`${org.login}/${theirs.name}`] })).toMatchObject(
      refusedField('repo_names'),
    );
    expect(await asOwner.post(path, { name: 'A', parent_team_id: 999_999 })).toMatchObject(refusedField('parent_team_id'));
    expect(await asOwner.post(path, { name: 'A', parent_team_slug: 'none' })).toMatchObject(refusedField('parent_team_slug'));
    expect(await asOwner.post(path, {})).toMatchObject(refusedField('name', 'missing_field'));
    expect(await asOwner.post(path, { name: 'A', privacy: 'open' })).toMatchObject(refusedField('privacy'));
    expect(await asOwner.post(path, { name: 'A', permission: 'maintain' })).toMatchObject(refusedField('permission'));
  });
  await asOwner.patch(`/orgs/${org.login}`, { members_can_create_teams: false });
  expect(await asMember.post(path, { name: 'A' })).toMatchObject({ status: 403 });
  expect(await asOwner.post(path, { name: 'A' })).toMatchObject({ status: 201 });
  expect(await asOwner.post(path, { name: 'a!' })).toMatchObject(refusedField('name', 'already_exists'));
});

const refusedTeamMember = (field: string) => ({ status: 422, body: { errors: [{ resource: 'TeamMember', field }] } });

test('secret teams are for their members, owners and apps; others are told that there is none', async () => {
  const w = await world();
  const { member, org, path, asOwner, asMember } = await setting(w);
  const secret = (await asOwner.post(path, { name: 'Secret' })).body;
  const closed = (await asOwner.post(path, { name: 'Closed', privacy: 'closed' })).body;
  const app = await w.as((await installApp(w, { on: org, permissions: { members: 'read' } })).token);
  const stranger = await w.as(await w.user());

  expect(slugs(await asOwner.get(path))).toEqual(['secret', 'closed']);
  expect(slugs(await app.get(path))).toEqual(['secret', 'closed']);
  expect(slugs(await asMember.get(path))).toEqual(['closed']);
  expect((await asOwner.get(`${path}?team_type=enterprise`)).body).toEqual([]);
  for (const [address, none] of [
    [`${path}/secret`, `${path}/no-such`],
    [`/teams/${secret.id}`, '/teams/999999'],
  ] as const) {
    for (const client of [asMember, stranger]) {
      for (const part of ['', '/members', '/repos', '/teams', '/invitations', `/memberships/${member.login}`]) {
        const [hidden, absent] = [await client.get(address + part), await client.get(none + part)];
        expect([hidden.status, hidden.body.message]).toEqual([404, absent.body.message]);
      }
      expect((await client.patch(address, { name: 'Mine' })).status).toBe((await client.patch(none, { name: 'Mine' })).status);
      expect((await client.delete(address)).status).toBe((await client.delete(none)).status);
    }
    expect((await app.get(address)).status).toBe(200);
  }
  expect((await stranger.get(`/teams/${closed.id}`)).status).toBe(404);
  expect((await (await w.as(undefined)).get(`/teams/${closed.id}`)).status).toBe(401);
  await asOwner.put(`${path}/secret/memberships/${member.login}`);
  expect(slugs(await asMember.get(path))).toEqual(['secret', 'closed']);
});

test('maintainers change their team, other members don’t, and only owners delete what has teams below it', async () => {
  const w = await world();
  const { owner, member, path, asOwner, asMember } = await setting(w);
  const top = (await asOwner.post(path, { name: 'Top', privacy: 'closed' })).body;
  await asOwner.post(path, { name: 'Mine', privacy: 'closed', maintainers: [member.login] });

  expect(await asMember.patch(`${path}/top`, { name: 'Bottom' })).toMatchObject({ status: 403 });
  expect(await asMember.delete(`${path}/top`)).toMatchObject({ status: 403 });
  expect(await asMember.put(`${path}/top/memberships/${member.login}`)).toMatchObject({ status: 403 });
  expect(await asMember.delete(`${path}/top/memberships/${owner.login}`)).toMatchObject({ status: 403 });
  expect(await asMember.patch(`${path}/mine`, { parent_team_id: top.id })).toMatchObject({ status: 403 });
  expect(await asMember.post(path, { name: 'New', parent_team_slug: 'top' })).toMatchObject({ status: 403 });

  const changed = await asMember.patch(`${path}/mine`, { name: 'Ours', description: 'New', permission: 'admin' });
  expect(changed).toMatchObject({ status: 200, body: { slug: 'ours', description: 'New', permission: 'admin' } });
  expect((await asMember.get(`${path}/mine`)).status).toBe(404);
  expect(await asOwner.patch(`${path}/ours`, { parent_team_slug: 'top' })).toMatchObject({
    status: 200,
    body: { parent: { slug: 'top' } },
  });
  expect(slugs(await asMember.get(`${path}/top/teams`))).toEqual(['ours']);
  expect(await asOwner.patch(`${path}/top`, { parent_team_slug: 'ours' })).toMatchObject(refusedField('parent_team_id'));
  expect(await asOwner.patch(`${path}/top`, { privacy: 'secret' })).toMatchObject(refusedField('privacy'));
  expect(await asOwner.patch(`/teams/${top.id}`, {})).toMatchObject(refusedField('name', 'missing_field'));

  await asOwner.put(`${path}/top/memberships/${member.login}`, { role: 'maintainer' });
  expect(await asMember.delete(`${path}/top`)).toMatchObject({ status: 403 });
  expect(await asMember.delete(`${path}/ours`)).toMatchObject({ status: 204 });
  await asOwner.post(path, { name: 'Low', parent_team_id: top.id });
  expect(await asOwner.delete(`/teams/${top.id}`)).toMatchObject({ status: 204 });
  expect((await asOwner.get(path)).body).toEqual([]);
});

test('lists of teams cost as many statements for 1 as for many', async () => {
  const w = await world();
  const { owner, path, asOwner } = await setting(w);
  const top = (await asOwner.post(path, { name: 'top', privacy: 'closed' })).body;
  await asOwner.post(path, { name: fresh('below'), parent_team_slug: 'top' });
  const statements = (address: string) => w.statements(owner, address);
  const lists = [`${path}?per_page=100`, `${path}/top/teams?per_page=100`] as const;
  const count = async () => [await statements(lists[0]), await statements(lists[1])];
  const before = await count();
  for (let i = 0; i < 20; i++) await asOwner.post(path, { name: fresh('below'), parent_team_slug: 'top' });
  expect((await asOwner.get(lists[0])).body.length).toBe(22);
  expect(await count()).toEqual(before);
  expect([await statements(`${path}/top`), await statements(`/teams/${top.id}`)]).toEqual([3, 3]);
});
