import { expect, test } from 'vitest';
import { setTeamMember } from '#resources/identity/teams/index.ts';
import { eventsOf } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { chain } from '../teams/setting.ts';

const w = await world();
const { as, user, org, member, repo, statements, fineGrained } = w;

async function setting() {
  const [owner, grace] = [await user(), await user()];
  const acme = await org(owner);
  await member(acme, grace);
  const engine = await repo(acme, { visibility: 'private', by: owner });
  const path = `/orgs/${acme.login}/organization-roles`;
  const client = await as(owner);
  const ids: Record<string, number> = {};
  for (const { name, id } of (await client.get(path)).body.roles) ids[name] = id;
  return { owner, grace, acme, engine, path, client, ids, place: `/repos/${acme.login}/${engine.name}` };
}

test('every organization has the predefined roles', async () => {
  const { path, client, ids } = await setting();
  const { body } = await client.get(path);
  expect(body.total_count).toBe(6);
  expect(body.roles.map(({ base_role }: { base_role: string }) => base_role)).toEqual([
    'read',
    'triage',
    'write',
    'maintain',
    'admin',
    'read',
  ]);
  expect((await client.get(`${path}/${ids.all_repo_write}`)).body).toMatchObject({
    name: 'all_repo_write',
    base_role: 'write',
    source: 'Predefined',
    organization: null,
  });
  expect((await client.get(`${path}/999999`)).status).toBe(404);
});

test('who is given a role has it in every repository, until it is taken', async () => {
  const { owner, grace, acme, path, place, client, ids } = await setting();
  await client.patch(`/orgs/${acme.login}`, { default_repository_permission: 'none' });
  const hers = await as(grace);
  expect((await hers.get(place)).status).toBe(404);
  expect((await client.put(`${path}/users/${grace.login}/${ids.all_repo_write}`)).status).toBe(204);
  expect((await client.put(`${path}/users/${grace.login}/${ids.all_repo_write}`)).status).toBe(204);
  expect((await hers.get(place)).body.permissions).toMatchObject({ push: true, maintain: false });
  expect((await hers.get('/user/repos')).body).toHaveLength(1);
  expect((await client.get(`${place}/collaborators/${grace.login}/permission`)).body.role_name).toBe('write');
  expect((await client.get(`${path}/${ids.all_repo_write}/users`)).body).toMatchObject([
    { login: grace.login, assignment: 'direct', inherited_from: [] },
  ]);

  const issue = (await client.post(`${place}/issues`, { title: 'It stalls', assignees: [grace.login] })).body;
  expect(issue.assignees).toHaveLength(1);
  expect((await client.delete(`${path}/users/${grace.login}`)).status).toBe(204);
  expect((await hers.get(place)).status).toBe(404);
  await w.settle();
  expect((await client.get(`${place}/issues/${issue.number}`)).body.assignees).toEqual([]);
  const told = await eventsOf(w, acme);
  expect(told.filter((kind) => kind.startsWith('organization_role.'))).toEqual([
    'organization_role.assigned',
    'organization_role.revoked',
  ]);
  expect((await client.delete(`${path}/users/${grace.login}/${ids.all_repo_write}`)).status).toBe(204);
  expect(owner.login).toBeDefined();
});

test('a team and the teams below it have its role, and it ends with the membership', async () => {
  const { owner, grace, acme, path, place, client, ids } = await setting();
  await client.patch(`/orgs/${acme.login}`, { default_repository_permission: 'none' });
  const [above, below] = await chain(w, acme, 2);
  if (!above || !below) throw new Error('Two teams were made');
  await w.change((scope) => setTeamMember(scope, { team: below, user: grace, role: 'member', by: owner.id, now: w.clock.now }));
  expect((await client.put(`${path}/teams/${above.slug}/${ids.all_repo_triage}`)).status).toBe(204);
  const hers = await as(grace);
  expect((await hers.get(place)).body.permissions).toMatchObject({ triage: true, push: false });
  expect((await client.get(`${path}/${ids.all_repo_triage}/users`)).body).toMatchObject([
    { login: grace.login, assignment: 'indirect', inherited_from: [{ slug: above.slug }] },
  ]);
  expect((await client.get(`${path}/${ids.all_repo_triage}/teams`)).body).toMatchObject([
    { slug: above.slug, assignment: 'direct' },
    { slug: below.slug, assignment: 'indirect' },
  ]);
  await client.put(`${path}/users/${grace.login}/${ids.all_repo_triage}`);
  expect((await client.get(`${path}/${ids.all_repo_triage}/users`)).body).toMatchObject([{ assignment: 'mixed' }]);
  await client.delete(`/orgs/${acme.login}/members/${grace.login}`);
  expect((await client.get(`${path}/${ids.all_repo_triage}/users`)).body).toEqual([]);
  expect((await client.delete(`${path}/teams/${above.slug}`)).status).toBe(204);
  expect((await client.get(`${path}/${ids.all_repo_triage}/teams`)).body).toEqual([]);
});

test('a team loses one of its roles, and keeps the others', async () => {
  const { owner, grace, acme, path, place, client, ids } = await setting();
  await client.patch(`/orgs/${acme.login}`, { default_repository_permission: 'none' });
  const [team] = await chain(w, acme, 1);
  if (!team) throw new Error('A team was made');
  await w.change((scope) => setTeamMember(scope, { team, user: grace, role: 'member', by: owner.id, now: w.clock.now }));
  for (const role of ['all_repo_read', 'all_repo_write']) await client.put(`${path}/teams/${team.slug}/${ids[role]}`);
  const hers = await as(grace);
  expect((await hers.get(place)).body.permissions).toMatchObject({ pull: true, push: true });
  expect((await client.delete(`${path}/teams/${team.slug}/${ids.all_repo_write}`)).status).toBe(204);
  expect((await hers.get(place)).body.permissions).toMatchObject({ pull: true, push: false });
});

test('only owners give roles, and only to members and teams of their organization', async () => {
  const { owner, grace, acme, path, client, ids } = await setting();
  const outsider = await user();
  expect((await (await as(grace)).get(path)).status).toBe(404);
  expect((await (await as(grace)).put(`${path}/users/${grace.login}/${ids.all_repo_admin}`)).status).toBe(403);
  const refused = await client.put(`${path}/users/${outsider.login}/${ids.all_repo_admin}`);
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'username']);
  expect((await client.put(`${path}/users/${grace.login}/999999`)).status).toBe(404);
  expect((await client.put(`${path}/teams/nobody/${ids.all_repo_admin}`)).status).toBe(404);
  const reading = await as(await fineGrained(owner, acme, { members: 'read' }));
  expect((await reading.put(`${path}/users/${grace.login}/${ids.all_repo_read}`)).status).toBe(403);
  const writing = await as(await fineGrained(owner, acme, { members: 'write' }));
  expect((await writing.put(`${path}/users/${grace.login}/${ids.all_repo_read}`)).status).toBe(204);
});

test('the people with a role cost as many statements for 1 as for 5', async () => {
  const { owner, grace, acme, path, client, ids } = await setting();
  const at = `${path}/${ids.all_repo_read}/users`;
  await client.put(`${path}/users/${grace.login}/${ids.all_repo_read}`);
  const one = await statements(owner, at);
  for (let i = 0; i < 4; i++) {
    const more = await user();
    await member(acme, more);
    await client.put(`${path}/users/${more.login}/${ids.all_repo_read}`);
  }
  expect((await client.get(at)).body).toHaveLength(5);
  expect(await statements(owner, at)).toBe(one);
});
