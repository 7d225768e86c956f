import { expect, test } from 'vitest';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { personal, setting } from './setting.ts';

test('an administrator removes a collaborator, with the invitations that they sent', async () => {
  const w = await world();
  const { owner, outside, stranger, org, repo, path } = await setting(w);
  await w.db.updateTable('collaborators').set({ role: 'admin' }).where('user_id', '=', outside.id).execute();
  await (await w.as(outside)).put(`${path}/collaborators/${stranger.login}`);

  expect((await (await w.as(owner)).delete(`${path}/collaborators/${outside.login}`)).status).toBe(204);

  expect((await (await w.as(outside)).get(path)).status).toBe(404);
  expect((await (await w.as(stranger)).get('/user/repository_invitations')).body).toEqual([]);
  expect(await w.db.selectFrom('repository_invitations').selectAll().where('repository_id', '=', repo.id).execute()).toEqual([]);
  expect((await eventsOf(w, org)).slice(-2)).toEqual(['collaborator.removed', 'collaborator.invitation_canceled']);
});

test('removing whoever is only invited withdraws the invitation; removing nobody changes nothing', async () => {
  const w = await world();
  const { owner, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  await client.put(`${path}/collaborators/${stranger.login}`);
  expect((await client.delete(`${path}/collaborators/${stranger.login}`)).status).toBe(204);
  expect((await eventsOf(w, org)).at(-1)).toBe('collaborator.invitation_canceled');
  await w.unchanged(['events'], async () => {
    expect((await client.delete(`${path}/collaborators/${stranger.login}`)).status).toBe(204);
  });
});

test('a collaborator leaves alone, but removes nobody else, be they one or not', async () => {
  const w = await world();
  const { owner, member, outside, stranger, path } = await setting(w);
  const client = await w.as(outside);
  for (const { login } of [owner, member, stranger]) {
    expect((await client.delete(`${path}/collaborators/${login}`)).status).toBe(403);
  }
  expect((await client.delete(`${path}/collaborators/${outside.login}`)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
});

test('the owner of a repository stays', async () => {
  const w = await world();
  const { owner, path } = await personal(w);
  expect((await (await w.as(owner)).delete(`${path}/collaborators/${owner.login}`)).status).toBe(422);
});

test('a credential that may not administer the repository removes nobody', async () => {
  const w = await world();
  const { owner, outside, org, path } = await setting(w);
  const reader = await installApp(w, { on: org, permissions: { administration: 'read' } });
  const writer = await installApp(w, { on: org, permissions: { administration: 'write' } });
  const status = async (token: string | undefined) =>
    (await (await w.as(token)).delete(`${path}/collaborators/${outside.login}`)).status;

  expect(await status(undefined)).toBe(404);
  expect(await status(await w.token(owner, ['admin:org']))).toBe(404);
  expect(await status(await w.fineGrained(owner, org, { administration: 'read' }))).toBe(403);
  expect(await status(await w.fineGrained(outside, outside, { administration: 'write' }))).toBe(404);
  expect(await status(reader.token)).toBe(403);
  expect(await status(writer.token)).toBe(204);
});
