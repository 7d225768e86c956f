import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { listMembers } from '#resources/identity/members/store.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { logins, setting } from './setting.ts';

test('members see everybody, others those who show their membership', async () => {
  const w = await world();
  const { owner, member, shown, stranger, path } = await setting(w);

  for (const who of [owner, member]) {
    expect(logins(await (await w.as(who)).get(`${path}/members`))).toEqual([owner.login, member.login, shown.login]);
  }
  for (const who of [stranger, undefined]) {
    expect(logins(await (await w.as(who)).get(`${path}/members`))).toEqual([shown.login]);
  }
  expect(logins(await (await w.as(owner)).get(`${path}/public_members`))).toEqual([shown.login]);
});

test('hidden organization membership: a credential shows concealed members only where it may read them', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const elsewhere = await w.org(member);
  const count = async (token: string) => logins(await (await w.as(token)).get(`${path}/members`)).length;

  expect(await count(await w.token(member, ['read:org']))).toBe(3);
  expect(await count(await w.token(member, ['gist']))).toBe(1);
  expect(await count(await oauthToken(w, member, ['admin:org']))).toBe(3);
  expect(await count(await oauthToken(w, member, ['user:email']))).toBe(1);
  expect(await count(await w.fineGrained(member, org, { members: 'read' }))).toBe(3);
  expect(await count(await w.fineGrained(member, org, { organization_administration: 'read' }))).toBe(1);
  expect(await count(await w.fineGrained(member, elsewhere, { members: 'write' }))).toBe(1);

  const reader = await installApp(w, { on: org, permissions: { members: 'read' } });
  const blind = await installApp(w, { on: org, permissions: { organization_plan: 'read' } });
  expect(await count(reader.token)).toBe(3);
  expect(await count(await reader.userToken(owner))).toBe(3);
  expect(await count(await reader.userToken(await w.user()))).toBe(1);
  expect(await count(blind.token)).toBe(1);
  expect(await count(await blind.userToken(owner))).toBe(1);
});

test('pending members are in no list', async () => {
  const w = await world();
  const { owner, stranger, path } = await setting(w);
  await (await w.as(owner)).put(`${path}/memberships/${stranger.login}`);
  expect(logins(await (await w.as(owner)).get(`${path}/members`))).not.toContain(stranger.login);
});

test('filters by role, and gives the second-factor filters to owners alone', async () => {
  const w = await world();
  const { owner, member, shown, path } = await setting(w);
  const [asOwner, asMember] = [await w.as(owner), await w.as(member)];

  expect(logins(await asOwner.get(`${path}/members?role=admin`))).toEqual([owner.login]);
  expect(logins(await asOwner.get(`${path}/members?role=member`))).toEqual([member.login, shown.login]);
  expect(logins(await asOwner.get(`${path}/members?filter=2fa_disabled`))).toHaveLength(3);
  expect(logins(await asOwner.get(`${path}/members?filter=2fa_insecure`))).toEqual([]);
  expect(await asMember.get(`${path}/members?filter=2fa_disabled`)).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'filter', code: 'invalid' }] },
  });
});

test.each([
  ['role=boss', 'role'],
  ['filter=old', 'filter'],
])('refuses ?%s, naming the parameter', async (query, field) => {
  const w = await world();
  const { owner, path } = await setting(w);
  const reply = await (await w.as(owner)).get(`${path}/members?${query}`);
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field, code: 'invalid' }] } });
});

test('lists pages, with one statement for 1 member or for 100', async () => {
  const w = await world();
  const owner = await w.user();
  const org = await w.org(owner);
  const page = { limit: 100, offset: 0, number: 1 };
  const statements = async () =>
    (await countStatements(() => listMembers(w.db, { organization: org.id, visibility: 'everybody', page }))).statements.length;

  expect(await statements()).toBe(1);
  for (let i = 0; i < 99; i++) await w.member(org, await w.user());
  expect(await statements()).toBe(1);

  const third = await (await w.as(owner)).get(`/orgs/${org.login}/members?per_page=40&page=3`);
  expect(third.body).toHaveLength(20);
  expect(third.headers.link).toContain('rel="prev"');
});

test('an unknown organization is 404', async () => {
  const w = await world();
  const { owner } = await setting(w);
  expect((await (await w.as(owner)).get('/orgs/absent/members')).status).toBe(404);
  expect((await (await w.as(undefined)).get('/orgs/absent/members')).status).toBe(404);
});
