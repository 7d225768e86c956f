import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { personal, setting } from './setting.ts';

test('says who is a collaborator', async () => {
  const w = await world();
  const { owner, member, byTeam, outside, stranger, org, path } = await setting(w);
  const client = await w.as(byTeam);
  for (const { login } of [owner, member, byTeam, outside]) {
    expect((await client.get(`${path}/collaborators/${login}`)).status).toBe(204);
  }
  for (const login of [stranger.login, org.login, 'absent-person']) {
    expect((await client.get(`${path}/collaborators/${login}`)).status).toBe(404);
  }
});

test.each([
  ['owner', 'admin', 'admin'],
  ['member', 'read', 'read'],
  ['byTeam', 'write', 'maintain'],
  ['outside', 'read', 'triage'],
  ['stranger', 'none', 'none'],
] as const)('the permission of the %s is %s by the role %s', async (who, permission, role) => {
  const w = await world();
  const s = await setting(w);
  const reply = await (await w.as(s.owner)).get(`${s.path}/collaborators/${s[who].login}/permission`);
  expect(reply).toMatchObject({
    status: 200,
    body: { permission, role_name: role, user: { login: s[who].login, role_name: role } },
  });
});

test('everybody reads what is public, and nobody but people and bots has a permission', async () => {
  const w = await world();
  const { owner, org, stranger, path } = await setting(w, 'public');
  const client = await w.as(owner);
  expect((await client.get(`${path}/collaborators/${stranger.login}/permission`)).body).toMatchObject({ permission: 'read' });
  expect((await client.get(`${path}/collaborators/${stranger.login}`)).status).toBe(404);
  expect((await client.get(`${path}/collaborators/${org.login}/permission`)).status).toBe(404);
});

test('a reader learns nobody’s permission', async () => {
  const w = await world();
  const { owner, member, outside, path } = await setting(w);
  for (const who of [member, outside]) {
    expect((await (await w.as(who)).get(`${path}/collaborators/${owner.login}`)).status).toBe(404);
    expect((await (await w.as(who)).get(`${path}/collaborators/${owner.login}/permission`)).status).toBe(404);
  }
  const mine = await personal(w);
  expect((await (await w.as(mine.helper)).get(`${mine.path}/collaborators/${mine.owner.login}`)).status).toBe(204);
});
