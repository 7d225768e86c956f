import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { listCollaborators } from '#resources/repositories/collaborators/store.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { personal, rolesOf, setting } from './setting.ts';

test('lists everybody with a role, from every source, with the strongest', async () => {
  const w = await world();
  const { owner, member, byTeam, outside, stranger, org, path } = await setting(w);
  await (await w.as(owner)).put(`/orgs/${org.login}/memberships/${stranger.login}`, { role: 'admin' });
  const reply = await (await w.as(owner)).get(`${path}/collaborators`);

  expect(rolesOf(reply)).toEqual({
    [owner.login]: 'admin',
    [member.login]: 'read',
    [byTeam.login]: 'maintain',
    [outside.login]: 'triage',
  });
  expect(reply.body[3].permissions).toEqual({ pull: true, triage: true, push: false, maintain: false, admin: false });
});

test('filters by affiliation and by permission', async () => {
  const w = await world();
  const { owner, member, byTeam, outside, repo, path } = await setting(w);
  await w.collaborator(repo, member, 'write');
  const client = await w.as(owner);
  const list = async (query: string) => rolesOf(await client.get(`${path}/collaborators?${query}`));

  expect(await list('affiliation=direct')).toEqual({ [member.login]: 'write', [outside.login]: 'triage' });
  expect(await list('affiliation=outside')).toEqual({ [outside.login]: 'triage' });
  expect(Object.keys(await list('permission=push'))).toEqual([owner.login, member.login, byTeam.login]);
  expect(Object.keys(await list('permission=admin'))).toEqual([owner.login]);
  expect(Object.keys(await list('permission=pull&affiliation=all'))).toHaveLength(4);
});

test('a person’s repository lists its owner and collaborators', async () => {
  const w = await world();
  const { owner, helper, path } = await personal(w);
  const client = await w.as(helper);
  expect(rolesOf(await client.get(`${path}/collaborators`))).toEqual({ [owner.login]: 'admin', [helper.login]: 'write' });
  expect(rolesOf(await client.get(`${path}/collaborators?affiliation=outside`))).toEqual({ [helper.login]: 'write' });
});

test('hidden organization membership: an outsider who may push learns of no concealed member and no team', async () => {
  const w = await world();
  const { owner, member, byTeam, outside, repo, path } = await setting(w);
  await w.db.updateTable('collaborators').set({ role: 'write' }).where('user_id', '=', outside.id).execute();
  await w.db.updateTable('memberships').set({ public: true }).where('user_id', '=', owner.id).execute();
  const outsider = await w.as(outside);

  expect(rolesOf(await outsider.get(`${path}/collaborators`))).toEqual({ [owner.login]: 'admin', [outside.login]: 'write' });
  for (const { login } of [member, byTeam]) {
    expect((await outsider.get(`${path}/collaborators/${login}`)).status).toBe(404);
    expect((await outsider.get(`${path}/collaborators/${login}/permission`)).body).toMatchObject({ role_name: 'none' });
  }
  const unscoped = await w.as(await w.token(byTeam, ['repo']));
  expect(Object.keys(rolesOf(await unscoped.get(`${path}/collaborators`)))).toEqual([owner.login, outside.login]);
  const scoped = await w.as(await w.token(byTeam, ['repo', 'read:org']));
  expect(Object.keys(rolesOf(await scoped.get(`${path}/collaborators`)))).toHaveLength(4);
  const app = await installApp(w, { on: repo.owner, permissions: { metadata: 'read' } });
  expect(Object.keys(rolesOf(await (await w.as(app.token)).get(`${path}/collaborators`)))).toHaveLength(4);
});

test.each(['private', 'public'] as const)(
  'only those who may push list the collaborators of a %s repository',
  async (visibility) => {
    const w = await world();
    const { owner, member, byTeam, outside, stranger, org, repo, path } = await setting(w, visibility);
    const other = await w.org(owner);
    const app = await installApp(w, { on: org, permissions: { contents: 'read' } });
    const foreign = await installApp(w, { on: other, permissions: { administration: 'write' } });
    const status = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/collaborators`)).status;

    for (const who of [member, outside, stranger]) expect(await status(who)).toBe(404);
    expect(await status(undefined)).toBe(visibility === 'public' ? 401 : 404);
    expect(await status(await w.token(owner, ['gist']))).toBe(404);
    expect(await status(await w.fineGrained(owner, other, { administration: 'write' }))).toBe(
      visibility === 'public' ? 403 : 404,
    );
    expect(await status(await w.fineGrained(owner, org, { contents: 'read' }, []))).toBe(visibility === 'public' ? 403 : 404);
    expect(await status(foreign.token)).toBe(visibility === 'public' ? 403 : 404);
    for (const who of [owner, byTeam]) expect(await status(who)).toBe(200);
    expect(await status(await w.fineGrained(owner, org, { contents: 'read' }, [repo]))).toBe(200);
    expect(await status(app.token)).toBe(200);
    expect(await status(await app.userToken(byTeam))).toBe(200);
    expect(await status(await app.userToken(member))).toBe(404);
  },
);

test.each([
  ['affiliation=inside', 'affiliation'],
  ['permission=write', 'permission'],
])('refuses ?%s, naming the parameter', async (query, field) => {
  const w = await world();
  const { owner, path } = await setting(w);
  const reply = await (await w.as(owner)).get(`${path}/collaborators?${query}`);
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field, code: 'invalid' }] } });
});

test('a page costs one statement for 4 collaborators or for 100', async () => {
  const w = await world();
  const { owner, repo, path } = await setting(w);
  const page = { limit: 100, offset: 0, number: 1 };
  const statements = async () => {
    const counted = await countStatements(() =>
      listCollaborators(w.db, repo, { visibility: 'everybody', affiliation: 'all', role: undefined, page }),
    );
    return [counted.result.rows.length, counted.statements.length];
  };
  expect(await statements()).toEqual([4, 1]);
  for (let i = 0; i < 96; i++) await w.collaborator(repo, await w.user(), 'read');
  expect(await statements()).toEqual([100, 1]);

  const last = await (await w.as(owner)).get(`${path}/collaborators?per_page=30&page=4`);
  expect(last.body).toHaveLength(10);
  expect(last.headers.link).toContain('page=3');
});
