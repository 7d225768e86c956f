import { expect, test } from 'vitest';
import { repoOf, repositoryExists } from '#git/store.ts';
import { fresh, world } from '#test/support/world.ts';

test('a fork that an organization has is shown to those alone who may make one there and may read it', async () => {
  const here = await world();
  const [author, owner, member, reader, stranger] = [
    await here.user(),
    await here.user(),
    await here.user(),
    await here.user(),
    await here.user(),
  ];
  const parent = await here.repo(author, { visibility: 'public' });
  const org = await here.org(owner);
  for (const user of [member, reader]) await here.member(org, user);
  const [asAuthor, asOwner] = [await here.as(author), await here.as(owner)];
  await asOwner.patch(`/orgs/${org.login}`, { default_repository_permission: 'none', members_can_create_repositories: true });
  const path = `/repos/${author.login}/${parent.name}`;
  const into = { organization: org.login };
  const first = await asOwner.post(`${path}/forks`, into);
  expect(first).toMatchObject({ status: 202, body: { permissions: { admin: true } } });
  await asAuthor.patch(path, { private: true });
  await asOwner.patch(`/repos/${org.login}/${first.body.name}`, { private: true });
  await asAuthor.patch(path, { private: false });
  const fork = await here.db.selectFrom('repositories').selectAll().where('id', '=', first.body.id).executeTakeFirstOrThrow();
  await here.collaborator(fork, reader, 'read');

  const unknown = await (await here.as(member)).post(`${path}/forks`, { organization: fresh('none') });
  expect(unknown.status).toBe(422);
  await here.unchanged(['repositories', 'events'], async () => {
    const refused = await (await here.as(stranger)).post(`${path}/forks`, into);
    expect([refused.status, refused.text]).toEqual([403, expect.not.stringContaining(first.body.name)]);
    const hidden = await (await here.as(member)).post(`${path}/forks`, into);
    expect([hidden.status, hidden.body]).toEqual([unknown.status, unknown.body]);
    const publicOnly = await here.token(owner, ['public_repo']);
    expect(await (await here.as(publicOnly)).post(`${path}/forks`, into)).toMatchObject({ status: 422, body: unknown.body });
    const seen = await (await here.as(reader)).post(`${path}/forks`, into);
    expect(seen).toMatchObject({ status: 202, body: { id: fork.id, permissions: { admin: false, push: false, pull: true } } });
    expect(await asOwner.post(`${path}/forks`, into)).toMatchObject({ body: { id: fork.id, permissions: { admin: true } } });
  });
});

test('a public repository counts its public forks, and one that is not public all of them', async () => {
  const here = await world();
  const [author, one, other] = [await here.user(), await here.user(), await here.user()];
  const parent = await here.repo(author, { visibility: 'public' });
  const [asAuthor, asOne] = [await here.as(author), await here.as(one)];
  const path = `/repos/${author.login}/${parent.name}`;
  const counts = async () => {
    const { body } = await asAuthor.get(path);
    return [body.forks_count, body.forks, body.network_count];
  };
  await asOne.post(`${path}/forks`, {});
  await (await here.as(other)).post(`${path}/forks`, {});
  expect(await counts()).toEqual([2, 2, 2]);

  await asAuthor.patch(path, { private: true });
  await asOne.patch(`/repos/${one.login}/${parent.name}`, { private: true });
  expect(await counts()).toEqual([2, 2, 2]);
  await asAuthor.patch(path, { private: false });
  expect(await counts()).toEqual([1, 1, 1]);
  const fork = `/repos/${other.login}/${parent.name}`;
  expect((await asAuthor.get(fork)).body.network_count).toBe(1);
  await asOne.patch(`/repos/${one.login}/${parent.name}`, { private: false });
  expect(await counts()).toEqual([2, 2, 2]);
  await asOne.delete(`/repos/${one.login}/${parent.name}`);
  expect(await counts()).toEqual([1, 1, 1]);
});

test('two forks at once are one, and a refused copy leaves no folder', async () => {
  const here = await world();
  const [author, eve] = [await here.user(), await here.user()];
  const parent = await here.repo(author, { visibility: 'public' });
  const asEve = await here.as(eve);
  const path = `/repos/${author.login}/${parent.name}`;

  const forks = await Promise.all(Array.from({ length: 4 }, () => asEve.post(`${path}/forks`, {})));

  const made = await here.db.selectFrom('repositories').select('id').where('owner_id', '=', eve.id).execute();
  expect(made).toHaveLength(1);
  for (const { status, body } of forks) expect(status === 202 ? body.id : status).toBeOneOf([made[0]?.id, 409, 422]);
  expect(await repositoryExists(repoOf(here.hearth.services.git, made[0]?.id ?? 0))).toBe(true);
  await (await here.as(author)).patch(path, { is_template: true });
  const taken = { name: parent.name };
  expect(await asEve.post(`${path}/generate`, taken)).toMatchObject({ status: 422, body: { errors: [{ field: 'name' }] } });
});
