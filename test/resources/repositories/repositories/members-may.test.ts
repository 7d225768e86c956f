import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

/** An organization with an owner, and a member who administers one of its private repositories. */
async function setting(settings: Record<string, boolean>) {
  const here = await world();
  const [owner, member] = [await here.user(), await here.user()];
  const org = await here.org(owner);
  await here.member(org, member);
  const repository = await here.repo(org, { visibility: 'private', by: owner });
  await here.collaborator(repository, member, 'admin');
  const [asOwner, asMember] = [await here.as(owner), await here.as(member)];
  await asOwner.patch(`/orgs/${org.login}`, settings);
  return { here, org, owner, asOwner, asMember, repository, path: `/repos/${org.login}/${repository.name}` };
}

test('members_can_change_repo_visibility: owners and apps still may', async () => {
  const { here, org, asOwner, asMember, path } = await setting({ members_can_change_repo_visibility: false });
  const { token } = await installApp(here, { on: org, permissions: { administration: 'write' } });

  expect(await asMember.patch(path, { private: false })).toMatchObject({ status: 403 });
  expect(await asMember.patch(path, { description: 'Steam' })).toMatchObject({ status: 200 });
  expect(await asOwner.patch(path, { private: false })).toMatchObject({ status: 200, body: { visibility: 'public' } });
  expect(await (await here.as(token)).patch(path, { private: true })).toMatchObject({ status: 200, body: { private: true } });
  await asOwner.patch(`/orgs/${org.login}`, { members_can_change_repo_visibility: true });
  expect(await asMember.patch(path, { private: false })).toMatchObject({ status: 200 });
});

test('members_can_delete_repositories: members neither delete nor transfer', async () => {
  const { here, owner, asOwner, asMember, path } = await setting({ members_can_delete_repositories: false });
  const next = await here.org(owner);

  await here.unchanged(['repositories', 'events'], async () => {
    expect(await asMember.delete(path)).toMatchObject({ status: 403 });
    expect(await asMember.post(`${path}/transfer`, { new_owner: next.login })).toMatchObject({ status: 403 });
  });
  expect(await asOwner.delete(path)).toMatchObject({ status: 204 });
});

test('members_can_fork_private_repositories: members fork public repositories, and others where it is allowed', async () => {
  const { org, asOwner, asMember, path } = await setting({});
  const refused = { status: 403, body: { message: 'The repository exists, but forking is disabled.' } };

  expect(await asMember.post(`${path}/forks`, {})).toMatchObject(refused);
  await asOwner.patch(`/orgs/${org.login}`, { members_can_fork_private_repositories: true });
  expect(await asMember.post(`${path}/forks`, {})).toMatchObject({ status: 202, body: { private: true } });
  await asOwner.patch(path, { allow_forking: false });
  expect(await asOwner.post(`${path}/forks`, { name: fresh('fork') })).toMatchObject(refused);
  await asOwner.patch(path, { private: false });
  expect(await asOwner.post(`${path}/forks`, { name: fresh('fork') })).toMatchObject({ status: 202 });
});

test('a transfer to the present owner is refused, and takes nobody’s role away', async () => {
  const { org, asOwner, path } = await setting({});
  const before = await asOwner.get(`${path}/collaborators`);

  const reply = await asOwner.post(`${path}/transfer`, { new_owner: org.login.toUpperCase() });

  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field: 'new_owner', code: 'invalid' }] } });
  expect(before.body).toHaveLength(2);
  expect((await asOwner.get(`${path}/collaborators`)).body).toEqual(before.body);
});
