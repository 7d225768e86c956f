import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { setting } from './setting.ts';

test('a member learns who is a member', async () => {
  const w = await world();
  const { owner, member, shown, stranger, path } = await setting(w);
  const client = await w.as(member);
  for (const login of [owner.login, shown.login.toUpperCase()]) {
    expect((await client.get(`${path}/members/${login}`)).status).toBe(204);
  }
  expect((await client.get(`${path}/members/${stranger.login}`)).status).toBe(404);
  expect((await client.get(`${path}/members/nobody-at-all`)).status).toBe(404);
});

test('existence oracle: others are sent to the public members, whoever they ask for', async () => {
  const w = await world();
  const { member, shown, stranger, path } = await setting(w);
  for (const who of [stranger, undefined, await w.token(member, ['gist'])]) {
    const client = await w.as(who);
    for (const { login } of [member, shown, stranger]) {
      const reply = await client.get(`${path}/members/${login}`);
      expect(reply.status).toBe(302);
      expect(reply.headers.location).toBe(`${w.url}/api/v3${path}/public_members/${login}`);
    }
  }
});

test('public membership is for everybody to check', async () => {
  const w = await world();
  const { member, shown, stranger, path } = await setting(w);
  for (const who of [member, stranger, undefined]) {
    const client = await w.as(who);
    expect((await client.get(`${path}/public_members/${shown.login}`)).status).toBe(204);
    expect((await client.get(`${path}/public_members/${member.login}`)).status).toBe(404);
    expect((await client.get(`${path}/public_members/${stranger.login}`)).status).toBe(404);
  }
});
