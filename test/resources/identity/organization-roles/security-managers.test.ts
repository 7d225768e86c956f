import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

async function setting() {
  const [owner, grace, other] = [await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  for (const user of [grace, other]) await w.member(org, user);
  const { name } = await w.repo(org, { visibility: 'private', by: owner });
  const client = await w.as(owner);
  const path = `/orgs/${org.login}`;
  await client.patch(path, { default_repository_permission: 'none' });
  await client.post(`${path}/teams`, { name: 'Guards', privacy: 'closed' });
  await client.put(`${path}/teams/guards/memberships/${grace.login}`);
  return { owner, grace, other, org, client, path, place: `/repos/${org.login}/${name}` };
}

test('the people of a team of security managers read every repository, until it is none any more', async () => {
  const { grace, other, client, path, place } = await setting();
  const [hers, others] = [await w.as(grace), await w.as(other)];
  const url = `${path}/security-managers/teams/guards`;
  expect((await hers.get(place)).status).toBe(404);
  expect((await hers.get(`${path}/security-managers`)).status).toBe(404);

  expect((await client.put(url)).status).toBe(204);
  expect((await client.put(url)).status).toBe(204);
  expect((await hers.get(place)).body.permissions).toMatchObject({ pull: true, triage: false, push: false });
  expect((await hers.get(`${path}/repos`)).body).toHaveLength(1);
  expect((await others.get(place)).status).toBe(404);
  const list = await client.get(`${path}/security-managers`);
  expect(list.body).toMatchObject([{ slug: 'guards', privacy: 'closed' }]);
  expect((await hers.get(`${path}/security-managers`)).body).toEqual(list.body);
  expect((await others.get(`${path}/security-managers`)).status).toBe(404);

  const roles = (await client.get(`${path}/organization-roles`)).body.roles;
  const role = roles.find(({ name }: { name: string }) => name === 'security_manager');
  expect((await client.get(`${path}/organization-roles/${role.id}/teams`)).body).toMatchObject([{ slug: 'guards' }]);
  expect((await client.delete(url)).status).toBe(204);
  expect((await client.delete(url)).status).toBe(204);
  expect((await hers.get(place)).status).toBe(404);
  await client.put(`${path}/organization-roles/teams/guards/${role.id}`);
  expect((await client.get(`${path}/security-managers`)).body).toEqual(list.body);
});

test('an eleventh team is refused', async () => {
  const { client, path } = await setting();
  for (let at = 0; at < 10; at++) {
    await client.post(`${path}/teams`, { name: `t${at}` });
    expect((await client.put(`${path}/security-managers/teams/t${at}`)).status).toBe(204);
  }
  expect((await client.put(`${path}/security-managers/teams/t3`)).status).toBe(204);
  await w.unchanged(['organization_role_assignments', 'events'], async () => {
    expect((await client.put(`${path}/security-managers/teams/guards`)).status).toBe(422);
    expect((await client.put(`${path}/security-managers/teams/${fresh('none')}`)).status).toBe(404);
  });
});

test('owners alone choose the teams, and apps that administer', async () => {
  const { grace, org, client, path } = await setting();
  const url = `${path}/security-managers/teams/guards`;
  await client.put(url);
  const hers = await w.as(grace);
  for (const method of ['put', 'delete'] as const) expect((await hers[method](url)).status).toBe(403);
  const app = await w.as((await installApp(w, { on: org, permissions: { organization_administration: 'write' } })).token);
  expect((await app.get(`${path}/security-managers`)).body).toHaveLength(1);
});

test('the list costs as many statements for 1 as for many', async () => {
  const { owner, client, path } = await setting();
  await client.put(`${path}/security-managers/teams/guards`);
  const forOne = await w.statements(owner, `${path}/security-managers`);
  for (let at = 0; at < 5; at++) {
    await client.post(`${path}/teams`, { name: `t${at}` });
    await client.put(`${path}/security-managers/teams/t${at}`);
  }
  expect(await w.statements(owner, `${path}/security-managers`)).toBe(forOne);
  expect(forOne).toBe(4);
});
