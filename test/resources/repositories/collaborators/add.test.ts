import { expect, test } from 'vitest';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { personal, rolesOf, setting } from './setting.ts';

test('somebody from outside is invited, and may do nothing before accepting', async () => {
  const w = await world();
  const { owner, stranger, repo, path } = await setting(w);
  const reply = await (await w.as(owner)).put(`${path}/collaborators/${stranger.login}`, { permission: 'maintain' });

  expect(reply).toMatchObject({
    status: 201,
    body: {
      permissions: 'maintain',
      expired: false,
      invitee: { login: stranger.login },
      inviter: { login: owner.login },
      repository: { id: repo.id, private: true },
    },
  });
  expect((await (await w.as(stranger)).get(path)).status).toBe(404);
});

test('a member of the organization gets the role at once, and whoever has one gets another', async () => {
  const w = await world();
  const { owner, member, outside, org, path } = await setting(w);
  const client = await w.as(owner);
  const before = (await eventsOf(w, org)).length;

  expect((await client.put(`${path}/collaborators/${member.login}`)).status).toBe(204);
  expect((await client.put(`${path}/collaborators/${outside.login}`, { permission: 'admin' })).status).toBe(204);
  expect((await client.put(`${path}/collaborators/${outside.login}`, { permission: 'admin' })).status).toBe(204);
  expect((await client.put(`${path}/collaborators/${outside.login}`)).status).toBe(204);

  expect(rolesOf(await client.get(`${path}/collaborators?affiliation=direct`))).toEqual({
    [member.login]: 'write',
    [outside.login]: 'admin',
  });
  expect((await eventsOf(w, org)).slice(before)).toEqual(['collaborator.added', 'collaborator.changed']);
});

test('inviting again renews the invitation and its role', async () => {
  const w = await world();
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  const first = await client.put(`${path}/collaborators/${stranger.login}`);
  const second = await client.put(`${path}/collaborators/${stranger.login}`, { permission: 'pull' });
  expect(first.body).toMatchObject({ permissions: 'write' });
  expect(second.body).toMatchObject({ id: first.body.id, permissions: 'read' });
  expect((await eventsOf(w, org)).slice(-2)).toEqual(['collaborator.invited', 'collaborator.invitation_changed']);
});

test('in a person’s repository collaborators write, and the owner is none', async () => {
  const w = await world();
  const { owner, helper, stranger, path } = await personal(w);
  const client = await w.as(owner);
  expect((await client.put(`${path}/collaborators/${stranger.login}`, { permission: 'push' })).body.permissions).toBe('write');
  expect((await client.put(`${path}/collaborators/${helper.login}`)).status).toBe(204);
  expect(await client.put(`${path}/collaborators/${stranger.login}`, { permission: 'admin' })).toMatchObject({
    status: 422,
    body: { errors: [{ resource: 'Repository', field: 'permission', code: 'invalid' }] },
  });
  expect(await client.put(`${path}/collaborators/${owner.login}`)).toMatchObject({
    status: 422,
    body: { errors: [{ resource: 'Repository', field: 'username', code: 'invalid' }] },
  });
});

test('an organization may keep inviting outsiders to its owners', async () => {
  const w = await world();
  const { owner, member, stranger, org, repo, path } = await setting(w);
  await w.collaborator(repo, member, 'admin');
  await (await w.as(owner)).patch(`/orgs/${org.login}`, { members_can_invite_outside_collaborators: false });
  const url = `${path}/collaborators/${stranger.login}`;
  expect((await (await w.as(member)).put(url)).status).toBe(403);
  expect((await (await w.as(member)).put(`${path}/collaborators/${owner.login}`)).status).toBe(204);
  expect((await (await w.as(owner)).put(url)).status).toBe(201);
});

test.each([{ permission: 'boss' }, { permission: 5 }, { permission: null }])(
  'refuses %o, naming the field, and writes nothing',
  async (body) => {
    const w = await world();
    const { owner, stranger, path } = await setting(w);
    await w.unchanged(['events', 'repository_invitations'], async () => {
      const reply = await (await w.as(owner)).put(`${path}/collaborators/${stranger.login}`, body);
      expect(reply).toMatchObject({
        status: 422,
        body: { errors: [{ resource: 'RepositoryCollaborator', field: 'permission' }] },
      });
    });
  },
);

test('organizations, bots and the unknown are nobody to add', async () => {
  const w = await world();
  const { owner, org, path } = await setting(w);
  const { bot } = await installApp(w, { on: org, permissions: {} });
  const client = await w.as(owner);
  for (const login of [org.login, bot.login, 'absent-person']) {
    expect((await client.put(`${path}/collaborators/${encodeURIComponent(login)}`)).status).toBe(404);
  }
});

test('only an administrator, by a credential that may administer this repository, adds a collaborator', async () => {
  const w = await world();
  const { owner, member, byTeam, outside, stranger, org, repo, path } = await setting(w);
  const other = await w.repo(org, { visibility: 'private', by: owner });
  const writer = await installApp(w, { on: org, permissions: { administration: 'write' } });
  const reader = await installApp(w, { on: org, permissions: { administration: 'read' } });
  const elsewhere = await installApp(w, { on: org, permissions: { administration: 'write' }, repositories: [other] });
  const status = async (who: Parameters<typeof w.as>[0]) =>
    (await (await w.as(who)).put(`${path}/collaborators/${stranger.login}`)).status;

  expect(await status(undefined)).toBe(404);
  expect(await status(stranger)).toBe(404);
  for (const who of [member, byTeam, outside]) expect(await status(who)).toBe(403);
  expect(await status(await w.token(owner, ['public_repo']))).toBe(404);
  expect(await status(await w.fineGrained(owner, org, { administration: 'read' }))).toBe(403);
  expect(await status(await w.fineGrained(owner, org, { administration: 'write' }, [other]))).toBe(404);
  expect(await status(reader.token)).toBe(403);
  expect(await status(elsewhere.token)).toBe(404);
  expect(await status(await writer.userToken(byTeam))).toBe(403);
  expect(await status(owner)).toBe(201);
  expect(await status(await w.fineGrained(owner, org, { administration: 'write' }, [repo]))).toBe(201);
  expect(await status(writer.token)).toBe(201);
  expect(await status(await writer.userToken(owner))).toBe(201);
});
