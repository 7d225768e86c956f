import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { asId } from '#lib/id.ts';
import { presentMemberships } from '#resources/identity/members/present.ts';
import { listOwnMemberships } from '#resources/identity/members/store.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { scopeIn } from '#test/support/scope.ts';
import { world } from '#test/support/world.ts';
import { setting } from './setting.ts';

const orgsOf = (reply: { body: { organization: { login: string } }[] }) => reply.body.map((row) => row.organization.login);

test('one lists one’s own memberships, pending and active', async () => {
  const w = await world();
  const { member, org } = await setting(w);
  const host = await w.user();
  const inviting = await w.org(host);
  await (await w.as(host)).put(`/orgs/${inviting.login}/memberships/${member.login}`);
  const client = await w.as(member);

  expect(orgsOf(await client.get('/user/memberships/orgs'))).toEqual([org.login, inviting.login]);
  expect(orgsOf(await client.get('/user/memberships/orgs?state=pending'))).toEqual([inviting.login]);
  expect(orgsOf(await client.get('/user/memberships/orgs?state=active'))).toEqual([org.login]);
  expect((await client.get('/user/memberships/orgs?state=none')).status).toBe(422);
});

test('hidden organization membership: a credential lists the organizations that it reaches', async () => {
  const w = await world();
  const { member, org } = await setting(w);
  const other = await w.org(member);
  const app = await installApp(w, { on: org, permissions: { members: 'read' } });
  const blind = await installApp(w, { on: org, permissions: { organization_plan: 'read' } });
  const fine = await w.fineGrained(member, other, { members: 'read' });
  const list = async (token: string | undefined) => (await w.as(token)).get('/user/memberships/orgs');

  expect(orgsOf(await list(await w.token(member, ['read:org'])))).toEqual([org.login, other.login]);
  expect(orgsOf(await list(fine))).toEqual([other.login]);
  expect(orgsOf(await list(await app.userToken(member)))).toEqual([org.login]);
  expect((await list(await w.token(member, ['repo']))).status).toBe(403);
  expect((await list(await w.fineGrained(member, other, { organization_plan: 'read' }))).status).toBe(403);
  expect((await list(await blind.userToken(member))).status).toBe(403);
  expect((await list(app.token)).status).toBe(403);
  expect((await list(undefined)).status).toBe(401);
  expect((await (await w.as(fine)).get(`/user/memberships/orgs/${org.login}`)).status).toBe(403);
});

test('the list costs as many statements for 1 membership as for 30', async () => {
  const w = await world();
  const [few, many] = [await w.user(), await w.user()];
  await w.org(few);
  for (let i = 0; i < 30; i++) await w.org(many);
  const page = { limit: 100, offset: 0, number: 1 };
  const statements = (account: typeof few) =>
    countStatements(async () => {
      const viewer = { account, grant: { kind: 'classic_pat', tokenId: asId<'tokens'>(1), scopes: ['read:org'] } } as const;
      const { rows } = await listOwnMemberships(w.db, viewer, undefined, page);
      return presentMemberships(scopeIn(w, viewer), rows);
    });

  const [one, thirty] = [await statements(few), await statements(many)];
  expect([one.result.length, thirty.result.length]).toEqual([1, 30]);
  expect([one.statements.length, thirty.statements.length]).toEqual([2, 2]);
});

test('a member shows and conceals their own membership, and nobody else’s', async () => {
  const w = await world();
  const { owner, member, org, path } = await setting(w);
  const client = await w.as(member);
  const url = `${path}/public_members/${member.login}`;
  const anybody = await w.as(undefined);

  expect((await client.put(url)).status).toBe(204);
  expect((await client.put(url)).status).toBe(204);
  expect((await anybody.get(url)).status).toBe(204);
  expect((await client.delete(url)).status).toBe(204);
  expect((await anybody.get(url)).status).toBe(404);
  expect(await eventsOf(w, org)).toEqual(['organization.created', 'member.publicized', 'member.concealed']);

  expect((await (await w.as(owner)).put(url)).status).toBe(403);
  expect((await client.put(`${path}/public_members/${owner.login}`)).status).toBe(403);
  expect((await anybody.put(url)).status).toBe(401);
});

test('showing a membership takes a credential of its member that may write it', async () => {
  const w = await world();
  const { member, stranger, org, path } = await setting(w);
  const app = await installApp(w, { on: org, permissions: { members: 'write' } });
  const status = async (token: string, login = member.login) =>
    (await (await w.as(token)).put(`${path}/public_members/${login}`)).status;

  expect(await status(await w.token(member, ['read:org']))).toBe(403);
  expect(await status(await w.fineGrained(member, org, { members: 'read' }))).toBe(403);
  expect((await (await w.as(app.token)).put(`${path}/public_members/${member.login}`)).body).toMatchObject({
    message: 'Resource not accessible by integration',
  });
  expect(await status(await w.token(stranger), stranger.login)).toBe(403);
  expect(await status(await w.token(member, ['write:org']))).toBe(204);
  expect(await status(await w.token(member, ['user']))).toBe(204); // as the public API says of this scope
  expect(await status(await w.fineGrained(member, org, { members: 'write' }))).toBe(204);
  expect(await status(await app.userToken(member))).toBe(204);
});
