import { expect, test } from 'vitest';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { fresh, type World, world } from '#test/support/world.ts';

/** A team with one below it, a member who is in the lower one, and a private repository of the organization. */
async function setting(w: World) {
  const [owner, member] = [await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, member);
  const asOwner = await w.as(owner);
  await asOwner.patch(`/orgs/${org.login}`, { default_repository_permission: 'none' });
  const path = `/orgs/${org.login}/teams`;
  const top = (await asOwner.post(path, { name: 'Top', privacy: 'closed', permission: 'push' })).body;
  const low = (await asOwner.post(path, { name: 'Low', parent_team_id: top.id, maintainers: [member.login] })).body;
  const repo = await w.repo(org, { visibility: 'private', by: owner });
  return { owner, member, org, asOwner, asMember: await w.as(member), path, top, low, repo, full: `${org.login}/${repo.name}` };
}

const asRepository = { headers: { accept: 'application/vnd.github.v3.repository+json' } };

test('a team gets a role in a repository, and those below it inherit it', async () => {
  const w = await world();
  const { org, asOwner, asMember, path, top, repo, full } = await setting(w);
  const check = `${path}/low/repos/${full}`;

  expect((await asMember.get(check)).status).toBe(404);
  expect((await asOwner.get(check)).status).toBe(404);
  expect((await asOwner.put(`${path}/top/repos/${full}`)).status).toBe(204);
  expect((await asMember.get(check)).status).toBe(204);
  expect((await asMember.get(check, asRepository)).body).toMatchObject({
    id: repo.id,
    role_name: 'write',
    permissions: { push: true, maintain: false, admin: false },
  });
  expect((await asMember.get(`/repos/${full}`)).body.permissions).toMatchObject({ push: true, maintain: false });

  expect((await asOwner.put(`/teams/${top.id}/repos/${full}`, { permission: 'maintain' })).status).toBe(204);
  const [listed] = (await asMember.get(`${path}/low/repos`)).body;
  expect(listed).toMatchObject({ id: repo.id, role_name: 'maintain', permissions: { maintain: true, admin: false } });
  expect((await asMember.get(`/teams/${top.id}/repos`)).body).toEqual([listed]);
  expect((await asMember.get(`${path}/low`)).body).toMatchObject({ repos_count: 1 });

  await asOwner.put(`${path}/low/repos/${full}`, { permission: 'pull' });
  expect((await asMember.get(check, asRepository)).body.role_name).toBe('maintain');
  expect((await asOwner.delete(`${path}/top/repos/${full}`)).status).toBe(204);
  expect((await asMember.get(check, asRepository)).body.role_name).toBe('read');
  expect((await asOwner.delete(`${path}/top/repos/${full}`)).status).toBe(404);
  expect((await eventsOf(w, org)).slice(-4)).toEqual([
    'team.repository_added',
    'team.repository_changed',
    'team.repository_added',
    'team.repository_removed',
  ]);
});

test('a team loses its role by its id, and its members can’t read the repository any more', async () => {
  const w = await world();
  const { asOwner, asMember, low, full } = await setting(w);
  await asOwner.put(`/teams/${low.id}/repos/${full}`, { permission: 'pull' });
  expect((await asMember.get(`/repos/${full}`)).status).toBe(200);
  expect((await asOwner.delete(`/teams/${low.id}/repos/${full}`)).status).toBe(204);
  expect((await asMember.get(`/repos/${full}`)).status).toBe(404);
});

test('only those who administer a repository give it to teams; maintainers may give it back', async () => {
  const w = await world();
  const { owner, member, org, asOwner, asMember, path, full } = await setting(w);
  await asOwner.put(`${path}/low/repos/${full}`, { permission: 'push' });
  const elsewhere = await w.repo(owner);

  await w.unchanged(['team_repositories', 'events'], async () => {
    expect((await asMember.put(`${path}/low/repos/${full}`, { permission: 'admin' })).status).toBe(403);
    expect((await asMember.put(`${path}/top/repos/${full}`)).status).toBe(403);
    expect(await asOwner.put(`${path}/low/repos/${full}`, { permission: 'own' })).toMatchObject({ status: 422 });
    expect(await asOwner.put(`${path}/low/repos/${owner.login}/${elsewhere.name}`)).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'TeamRepository', field: 'repository' }] },
    });
    expect((await asMember.put(`${path}/low/repos/${org.login}/no-such`)).status).toBe(404);
    const stranger = await w.as(await w.user());
    expect((await stranger.put(`${path}/low/repos/${full}`)).status).toBe(404);
  });
  const open = await w.repo(org, { by: owner });
  await asOwner.put(`${path}/top/repos/${org.login}/${open.name}`);
  expect((await asMember.delete(`${path}/top/repos/${org.login}/${open.name}`)).status).toBe(403);
  expect((await asMember.delete(`${path}/low/repos/${full}`)).status).toBe(204);
  expect((await asMember.get(`/repos/${full}`)).status).toBe(404);
  expect((await asOwner.get(`${path}/low/memberships/${member.login}`)).status).toBe(200);
});

test('a list of repositories shows those that the viewer may read', async () => {
  const w = await world();
  const { owner, org, asOwner, path, full } = await setting(w);
  const open = await w.repo(org, { by: owner });
  for (const name of [full, `${org.login}/${open.name}`]) await asOwner.put(`${path}/top/repos/${name}`);
  const other = await w.user();
  await w.member(org, other);
  const ids = async (token: string) => {
    const { body } = await (await w.as(token)).get(`${path}/top/repos`);
    return body.map(({ name }: { name: string }) => name);
  };
  expect(await ids(await w.token(other))).toEqual([open.name]);
  expect(await ids(await w.token(owner, ['read:org']))).toEqual([open.name]);
  expect(await ids(await w.token(owner, ['read:org', 'repo']))).toEqual([full.split('/')[1], open.name]);
  const { token } = await installApp(w, { on: org, permissions: { members: 'read', metadata: 'read' } });
  expect(await ids(token)).toEqual([full.split('/')[1], open.name]);
});

test('a repository that was renamed is found by a redirect', async () => {
  const w = await world();
  const { org, asOwner, path, top, full } = await setting(w);
  await asOwner.put(`${path}/top/repos/${full}`);
  const name = fresh('renamed');
  await asOwner.patch(`/repos/${full}`, { name });
  const moved = await asOwner.get(`${path}/top/repos/${full}`);
  expect([moved.status, moved.headers.location]).toEqual([301, `${w.url}/api/v3${path}/top/repos/${org.login}/${name}`]);
  const byId = await asOwner.get(`/teams/${top.id}/repos/${full}`);
  expect([byId.status, byId.headers.location]).toEqual([301, `${w.url}/api/v3/teams/${top.id}/repos/${org.login}/${name}`]);
});

test('the list costs as many statements for 1 as for many', async () => {
  const w = await world();
  const { owner, org, asOwner, path, full } = await setting(w);
  await asOwner.put(`${path}/top/repos/${full}`);
  const before = await w.statements(owner, `${path}/top/repos`);
  for (let i = 0; i < 10; i++) {
    const { name } = await w.repo(org, { by: owner });
    await asOwner.put(`${path}/top/repos/${org.login}/${name}`);
  }
  expect((await asOwner.get(`${path}/top/repos`)).body.length).toBe(11);
  expect(await w.statements(owner, `${path}/top/repos`)).toBe(before);
});
