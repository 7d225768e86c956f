import { expect, test } from 'vitest';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { setting } from './setting.ts';

const logins = (reply: { body: { login: string }[] }) => reply.body.map((row) => row.login);

test('owners list those who have direct roles and are no members', async () => {
  const w = await world();
  const { owner, member, outside, org, repo } = await setting(w);
  await w.collaborator(repo, member, 'write');
  const client = await w.as(owner);
  const url = `/orgs/${org.login}/outside_collaborators`;
  expect(logins(await client.get(url))).toEqual([outside.login]);
  expect(logins(await client.get(`${url}?filter=2fa_disabled`))).toEqual([outside.login]);
  expect(logins(await client.get(`${url}?filter=2fa_insecure`))).toEqual([]);
  expect((await client.get(`${url}?filter=other`)).status).toBe(422);
});

test('a member who is made an outside collaborator keeps what teams and direct roles gave', async () => {
  const w = await world();
  const { owner, byTeam, org, repo, path } = await setting(w);
  const base = await w.repo(org, { visibility: 'private', by: owner });
  await w.collaborator(repo, byTeam, 'triage');
  const client = await w.as(byTeam);
  expect((await client.get(`/repos/${org.login}/${base.name}`)).status).toBe(200);

  expect((await (await w.as(owner)).put(`/orgs/${org.login}/outside_collaborators/${byTeam.login}`)).status).toBe(204);

  expect((await client.get(path)).body.permissions).toMatchObject({ maintain: true });
  expect((await client.get(`/repos/${org.login}/${base.name}`)).status).toBe(404);
  expect((await client.get('/user/teams')).body).toEqual([]);
  expect((await client.get(`/user/memberships/orgs/${org.login}`)).status).toBe(404);
  expect((await eventsOf(w, org)).slice(-3)).toEqual(['team.member_removed', 'member.removed', 'collaborator.added']);
});

test('a member without teams and direct roles keeps nothing', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const reply = await (await w.as(owner)).put(`/orgs/${org.login}/outside_collaborators/${member.login}`, { async: true });
  expect(reply).toMatchObject({ status: 202, body: {} });
  expect((await (await w.as(member)).get(path)).status).toBe(404);
});

test('neither the last owner nor somebody who is no member is converted', async () => {
  const w = await world();
  const { owner, outside, org } = await setting(w);
  const client = await w.as(owner);
  await w.unchanged(['events'], async () => {
    for (const { login } of [owner, outside]) {
      expect((await client.put(`/orgs/${org.login}/outside_collaborators/${login}`)).status).toBe(403);
    }
    expect((await client.put(`/orgs/${org.login}/outside_collaborators/absent-person`)).status).toBe(404);
  });
});

test('removing an outside collaborator takes all their roles and invitations in the organization', async () => {
  const w = await world();
  const { owner, outside, org, repo, path } = await setting(w);
  const other = await w.repo(org, { visibility: 'private', by: owner });
  const client = await w.as(owner);
  await client.put(`/repos/${org.login}/${other.name}/collaborators/${outside.login}`);

  expect((await client.delete(`/orgs/${org.login}/outside_collaborators/${outside.login}`)).status).toBe(204);

  expect((await (await w.as(outside)).get(path)).status).toBe(404);
  expect((await (await w.as(outside)).get('/user/repository_invitations')).body).toEqual([]);
  expect(logins(await client.get(`${path}/collaborators?affiliation=direct`))).toEqual([]);
  expect(repo.owner_id).toBe(org.id);
  expect((await eventsOf(w, org)).slice(-2)).toEqual(['collaborator.removed', 'collaborator.invitation_canceled']);
});

test('a member is no outside collaborator to remove', async () => {
  const w = await world();
  const { owner, member, org, repo } = await setting(w);
  await w.collaborator(repo, member, 'write');
  const reply = await (await w.as(owner)).delete(`/orgs/${org.login}/outside_collaborators/${member.login}`);
  expect(reply).toMatchObject({ status: 422, body: { message: expect.stringContaining('member of the organization') } });
});

test('an organization is nobody to remove', async () => {
  const w = await world();
  const { owner, org } = await setting(w);
  const other = await w.org(owner);
  await w.unchanged(['events'], async () =>
    expect((await (await w.as(owner)).delete(`/orgs/${org.login}/outside_collaborators/${other.login}`)).status).toBe(404),
  );
});

test.each(['get', 'put', 'delete'] as const)('%s is for owners, by a credential that may', async (method) => {
  const w = await world();
  const { owner, member, outside, stranger, byTeam, org } = await setting(w);
  const denied = method === 'get' ? 404 : 403;
  const login = method === 'put' ? byTeam.login : outside.login;
  const url = `/orgs/${org.login}/outside_collaborators${method === 'get' ? '' : `/${login}`}`;
  const level = method === 'get' ? 'read' : 'write';
  const app = await installApp(w, { on: org, permissions: { members: level } });
  const blind = await installApp(w, { on: org, permissions: method === 'get' ? { contents: 'write' } : { members: 'read' } });
  const status = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who))[method](url)).status;

  for (const who of [member, stranger, outside]) expect(await status(who)).toBe(denied);
  expect(await status(undefined)).toBe(401);
  expect(await status(await w.token(owner, ['repo']))).toBe(denied);
  expect(await status(blind.token)).toBe(403);
  expect(await status(await app.userToken(member))).toBe(denied);
  expect(await status(await w.fineGrained(member, org, { members: level }))).toBe(denied);
  expect(await status(app.token)).toBe(method === 'get' ? 200 : 204);
});
