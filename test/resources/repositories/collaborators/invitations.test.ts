import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { addDays } from '#lib/time.ts';
import { listInvitations } from '#resources/repositories/collaborators/invitation-store.ts';
import { presentInvitations } from '#resources/repositories/collaborators/present.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { scopeIn } from '#test/support/scope.ts';
import { world } from '#test/support/world.ts';
import { personal, setting } from './setting.ts';

const invited = async () => {
  const w = await world();
  const s = await setting(w);
  const client = await w.as(s.owner);
  const { body } = await client.put(`${s.path}/collaborators/${s.stranger.login}`);
  return { w, ...s, client, url: `${s.path}/invitations/${body.id}`, id: body.id as number };
};

test('administrators list, change and withdraw invitations', async () => {
  const { client, stranger, org, w, url, id, path } = await invited();
  expect((await client.get(`${path}/invitations`)).body).toMatchObject([
    { id, permissions: 'write', invitee: { login: stranger.login } },
  ]);
  expect(await client.patch(url, { permissions: 'triage' })).toMatchObject({ status: 200, body: { id, permissions: 'triage' } });
  expect((await client.patch(url, {})).body.permissions).toBe('triage');
  expect((await client.delete(url)).status).toBe(204);
  expect((await client.delete(url)).status).toBe(404);
  expect((await client.patch(url, { permissions: 'read' })).status).toBe(404);
  expect((await eventsOf(w, org)).slice(-3)).toEqual([
    'collaborator.invited',
    'collaborator.invitation_changed',
    'collaborator.invitation_canceled',
  ]);
});

test('child id under the wrong parent: an invitation answers under its own repository alone', async () => {
  const { w, client, owner, org, id, path } = await invited();
  const other = await w.repo(org, { by: owner });
  for (const parent of [`/repos/${org.login}/${other.name}`]) {
    expect((await client.patch(`${parent}/invitations/${id}`, { permissions: 'read' })).status).toBe(404);
    expect((await client.delete(`${parent}/invitations/${id}`)).status).toBe(404);
  }
  expect((await client.get(`${path}/invitations`)).body).toHaveLength(1);
});

test.each([{ permissions: 'push' }, { permissions: 1 }])('refuses %o, naming the field', async (body) => {
  const { client, url } = await invited();
  expect(await client.patch(url, body)).toMatchObject({
    status: 422,
    body: { errors: [{ resource: 'RepositoryInvitation', field: 'permissions' }] },
  });
});

test('an invitation into a person’s repository offers write and nothing else', async () => {
  const w = await world();
  const { owner, stranger, path } = await personal(w);
  const client = await w.as(owner);
  const { body } = await client.put(`${path}/collaborators/${stranger.login}`);
  expect((await client.patch(`${path}/invitations/${body.id}`, { permissions: 'admin' })).status).toBe(422);
  expect((await client.patch(`${path}/invitations/${body.id}`, { permissions: 'write' })).status).toBe(200);
});

test('only administrators see or change invitations', async () => {
  const { w, member, byTeam, stranger, owner, org, url, path } = await invited();
  const reader = await installApp(w, { on: org, permissions: { administration: 'read' } });
  const blind = await installApp(w, { on: org, permissions: { contents: 'write' } });
  const get = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/invitations`)).status;
  const patch = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).patch(url, { permissions: 'admin' })).status;

  for (const who of [member, byTeam, stranger, undefined]) expect(await get(who)).toBe(404);
  expect(await get(blind.token)).toBe(403);
  expect(await get(reader.token)).toBe(200);
  expect(await get(await w.fineGrained(owner, org, { administration: 'read' }))).toBe(200);
  expect(await patch(reader.token)).toBe(403);
  expect(await patch(await w.fineGrained(owner, org, { administration: 'read' }))).toBe(403);
  expect(await patch(byTeam)).toBe(403);
  expect(await patch(stranger)).toBe(404);
  expect(await patch(await w.fineGrained(owner, org, { administration: 'write' }))).toBe(200);
});

test('the invited person lists and accepts, once, with the role that was offered', async () => {
  const { w, client, stranger, org, id, path, url } = await invited();
  await client.patch(url, { permissions: 'maintain' });
  const guest = await w.as(stranger);
  expect((await guest.get('/user/repository_invitations')).body).toMatchObject([
    { id, permissions: 'maintain', repository: { private: true } },
  ]);

  const replies = await Promise.all([
    guest.patch(`/user/repository_invitations/${id}`),
    guest.patch(`/user/repository_invitations/${id}`),
  ]);

  expect(replies.map((reply) => reply.status).sort()).toEqual([204, 404]);
  expect((await guest.get(path)).body.permissions).toMatchObject({ maintain: true, admin: false });
  expect((await guest.get('/user/repository_invitations')).body).toEqual([]);
  expect((await eventsOf(w, org)).at(-1)).toBe('collaborator.added');
});

test('the invited person declines', async () => {
  const { w, stranger, org, id, path } = await invited();
  const guest = await w.as(stranger);
  expect((await guest.delete(`/user/repository_invitations/${id}`)).status).toBe(204);
  expect((await guest.delete(`/user/repository_invitations/${id}`)).status).toBe(404);
  expect((await guest.get(path)).status).toBe(404);
  expect((await eventsOf(w, org)).at(-1)).toBe('collaborator.invitation_declined');
});

test('nobody takes another’s invitation', async () => {
  const { w, owner, member, id } = await invited();
  for (const who of [owner, member]) {
    const client = await w.as(who);
    expect((await client.patch(`/user/repository_invitations/${id}`)).status).toBe(404);
    expect((await client.delete(`/user/repository_invitations/${id}`)).status).toBe(404);
  }
});

test('an invitation ends after a week, until it is sent again', async () => {
  const { w, client, owner, stranger, id, path } = await invited();
  const guest = await w.as(stranger);
  const began = w.clock.now;
  try {
    w.clock.now = addDays(began, 7);
    expect((await guest.get('/user/repository_invitations')).body).toMatchObject([{ id, expired: true }]);
    expect((await guest.patch(`/user/repository_invitations/${id}`)).status).toBe(404);
    expect((await client.get(`${path}/collaborators/${stranger.login}`)).status).toBe(404);
    await (await w.as(owner)).put(`${path}/collaborators/${stranger.login}`);
    expect((await guest.patch(`/user/repository_invitations/${id}`)).status).toBe(204);
  } finally {
    w.clock.now = began;
  }
});

test('a token reaches the invitations that its kind and owner allow', async () => {
  const { w, owner, stranger, org, id } = await invited();
  const elsewhere = await w.org(stranger);
  const app = await installApp(w, { on: org, permissions: { administration: 'write' } });
  const list = async (token: string | undefined) => (await w.as(token)).get('/user/repository_invitations');
  const accept = async (token: string) => (await (await w.as(token)).patch(`/user/repository_invitations/${id}`)).status;

  expect((await list(undefined)).status).toBe(401);
  expect((await list(await w.token(stranger, ['read:org']))).status).toBe(403);
  expect((await list(await app.userToken(stranger))).status).toBe(403);
  expect((await list(app.token)).status).toBe(403);
  expect((await list(await w.token(stranger, ['repo:invite']))).body).toHaveLength(1);
  expect((await list(await w.fineGrained(stranger, stranger, { administration: 'read' }))).body).toHaveLength(1);
  expect((await list(await w.fineGrained(stranger, org, { administration: 'read' }))).body).toHaveLength(1);
  const foreign = await w.fineGrained(stranger, elsewhere, { administration: 'write' });
  expect((await list(foreign)).body).toEqual([]);
  expect(await accept(foreign)).toBe(404);
  const beside = await w.repo(org, { visibility: 'private', by: owner });
  const narrow = await w.fineGrained(stranger, org, { administration: 'write' }, [beside]);
  expect((await list(narrow)).body).toEqual([]);
  expect(await accept(narrow)).toBe(404);
  expect(await accept(await w.fineGrained(stranger, stranger, { administration: 'read' }))).toBe(403);
  expect(await accept(await w.fineGrained(stranger, stranger, { administration: 'write' }))).toBe(204);
});

test('invitations cost as many statements for 1 as for 100', async () => {
  const w = await world();
  const { owner, repo } = await setting(w);
  const viewer = { account: owner, grant: { kind: 'none' } } as const;
  const statements = () =>
    countStatements(async () => {
      const { rows } = await listInvitations(w.db, repo.id, { limit: 100, offset: 0, number: 1 });
      return presentInvitations(scopeIn(w, viewer), rows);
    });
  const invite = async () =>
    w.db
      .insertInto('repository_invitations')
      .values({
        repository_id: repo.id,
        invitee_id: (await w.user()).id,
        inviter_id: owner.id,
        role: 'read',
        created_at: w.clock.now,
      })
      .execute();

  await invite();
  const one = await statements();
  for (let i = 0; i < 99; i++) await invite();
  const all = await statements();
  expect([one.result.length, all.result.length]).toEqual([1, 100]);
  expect([one.statements.length, all.statements.length]).toEqual([5, 5]);
});
