import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();

/** An organization whose members have no role in its repositories of their own. */
async function setting() {
  const [owner, member] = [await here.user(), await here.user()];
  const org = await here.org(owner);
  await here.member(org, member);
  const [asOwner, asMember] = [await here.as(owner), await here.as(member)];
  await asOwner.patch(`/orgs/${org.login}`, { default_repository_permission: 'none' });
  return { owner, member, org, asOwner, asMember };
}

const administered = { status: 200, body: { permissions: { admin: true, push: true } } };

test('a member administers the repository that they create in an organization', async () => {
  const { org, member, asMember, asOwner } = await setting();
  const name = fresh('engine');
  const made = await asMember.post(`/orgs/${org.login}/repos`, { name, private: true, auto_init: true });
  expect(made).toMatchObject({ status: 201, body: { permissions: { admin: true } } });
  const path = `/repos/${org.login}/${name}`;
  expect(await asMember.get(path)).toMatchObject(administered);
  const content = Buffer.from('a').toString('base64');
  expect(await asMember.put(`${path}/contents/a`, { message: 'a', content })).toMatchObject({ status: 201 });
  expect(await asMember.patch(path, { description: 'mine' })).toMatchObject({ status: 200 });
  expect(await asOwner.get(`${path}/collaborators/${member.login}/permission`)).toMatchObject({ body: { permission: 'admin' } });
});

test('from a template and by a fork, too', async () => {
  const { org, asMember, owner, asOwner } = await setting();
  const template = await here.repo(owner, { visibility: 'public' });
  await asOwner.patch(`/repos/${owner.login}/${template.name}`, { is_template: true });
  const source = `/repos/${owner.login}/${template.name}`;
  const generated = await asMember.post(`${source}/generate`, { owner: org.login, name: fresh('copy'), private: true });
  expect(generated).toMatchObject({ status: 201 });
  expect(await asMember.get(`/repos/${org.login}/${generated.body.name}`)).toMatchObject(administered);
  const forked = await asMember.post(`${source}/forks`, { organization: org.login });
  expect(forked).toMatchObject({ status: 202 });
  expect(await asMember.get(`/repos/${org.login}/${forked.body.name}`)).toMatchObject(administered);
});

test('who transfers a repository to an organization goes on administering it, and its owner is no collaborator of it', async () => {
  const { org, member, asMember, asOwner } = await setting();
  const repo = await here.repo(member, { visibility: 'private' });
  const moved = await asMember.post(`/repos/${member.login}/${repo.name}/transfer`, { new_owner: org.login });
  expect(moved).toMatchObject({ status: 202 });
  const path = `/repos/${org.login}/${repo.name}`;
  expect(await asMember.get(path)).toMatchObject(administered);
  await asOwner.patch(`/orgs/${org.login}`, { members_can_delete_repositories: true });
  expect(await asMember.post(`${path}/transfer`, { new_owner: member.login })).toMatchObject({ status: 202 });
  const rows = await here.db.selectFrom('collaborators').selectAll().where('repository_id', '=', repo.id).execute();
  expect(rows).toEqual([]);
});

test('owners and apps get no role of their own, and a member who leaves loses it', async () => {
  const { org, member, asOwner, asMember } = await setting();
  const { token } = await installApp(here, { on: org, permissions: { administration: 'write' } });
  const names = [fresh('owned'), fresh('made'), fresh('left')];
  expect(await asOwner.post(`/orgs/${org.login}/repos`, { name: names[0] })).toMatchObject({ status: 201 });
  expect(await (await here.as(token)).post(`/orgs/${org.login}/repos`, { name: names[1] })).toMatchObject({ status: 201 });
  expect(await asMember.post(`/orgs/${org.login}/repos`, { name: names[2], private: true })).toMatchObject({ status: 201 });
  const roles = () =>
    here.db
      .selectFrom('collaborators')
      .innerJoin('repositories', 'repositories.id', 'repository_id')
      .select(['name', 'user_id', 'role'])
      .where('owner_id', '=', org.id)
      .execute();
  expect(await roles()).toEqual([{ name: names[2], user_id: member.id, role: 'admin' }]);
  expect(await asOwner.delete(`/orgs/${org.login}/members/${member.login}`)).toMatchObject({ status: 204 });
  expect(await roles()).toEqual([]);
  expect(await asMember.get(`/repos/${org.login}/${names[2]}`)).toMatchObject({ status: 404 });
});
