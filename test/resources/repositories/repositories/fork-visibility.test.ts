import { expect, test } from 'vitest';
import { waitsForLock } from '#test/support/time.ts';
import { type World, world } from '#test/support/world.ts';

/** A repository of an organization, with a fork in the account of somebody who may read it. */
async function forked(here: World, visibility: 'public' | 'private') {
  const [owner, reader] = [await here.user(), await here.user()];
  const org = await here.org(owner);
  const parent = await here.repo(org, { visibility, by: owner });
  await here.collaborator(parent, reader, 'read');
  const [asOwner, asReader] = [await here.as(owner), await here.as(reader)];
  await asOwner.patch(`/orgs/${org.login}`, { members_can_fork_private_repositories: true });
  const path = `/repos/${org.login}/${parent.name}`;
  await asReader.post(`${path}/forks`, {});
  return { asOwner, asReader, path, fork: `/repos/${reader.login}/${parent.name}` };
}

test('a private fork is not published, and a public one not hidden', async () => {
  const here = await world();
  for (const visibility of ['private', 'public'] as const) {
    const { asReader, fork } = await forked(here, visibility);
    await here.unchanged(['repositories', 'events'], async () => {
      const reply = await asReader.patch(fork, { private: visibility === 'public' });
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'Repository', field: 'visibility' }] } });
    });
    expect(await asReader.patch(fork, { visibility, description: 'Mine' })).toMatchObject({ status: 200, body: { visibility } });
  }
});

test('a fork may become as visible as its parent is now, and anything once the parent is gone that was public when it was forked', async () => {
  const here = await world();
  const { asOwner, asReader, path, fork } = await forked(here, 'public');

  await asOwner.patch(path, { private: true });
  expect(await asReader.patch(fork, { private: true })).toMatchObject({ status: 200, body: { private: true } });
  expect(await asReader.patch(fork, { private: false })).toMatchObject({ status: 422 });
  await asOwner.delete(path);
  expect(await asReader.patch(fork, { private: false })).toMatchObject({ status: 200, body: { private: false } });
});

test('a fork of a private repository stays private once that is gone', async () => {
  const here = await world();
  const { asOwner, asReader, path, fork } = await forked(here, 'private');
  expect((await asOwner.delete(path)).status).toBe(204);
  await here.settle();
  for (const wanted of [{ private: false }, { visibility: 'public' }])
    expect(await asReader.patch(fork, wanted)).toMatchObject({ status: 422, body: { errors: [{ field: 'visibility' }] } });
  expect((await asReader.get(fork)).body.visibility).toBe('private');
});

test('a repository that becomes private while it is forked is not forked in public', async () => {
  const here = await world();
  const [owner, stranger, reader] = [await here.user(), await here.user(), await here.user()];
  const source = await here.repo(owner);
  await here.collaborator(source, reader, 'read');
  const path = `/repos/${owner.login}/${source.name}`;
  const [asOwner, asStranger, asReader] = [await here.as(owner), await here.as(stranger), await here.as(reader)];
  await asOwner.patch(path, { allow_forking: true });
  let forks: Promise<Awaited<ReturnType<typeof asOwner.post>>[]> | undefined;
  await here.change(async (scope) => {
    await scope.tx.selectFrom('accounts').select('id').where('id', 'in', [stranger.id, reader.id]).forUpdate().execute();
    forks = Promise.all([asStranger, asReader].map((client) => client.post(`${path}/forks`, {})));
    await waitsForLock(here.hearth.worker.database.db, 'accounts');
    await scope.tx.updateTable('repositories').set({ visibility: 'private' }).where('id', '=', source.id).execute();
  });
  const [ofStranger, ofReader] = (await forks) ?? [];
  expect(ofStranger?.status).toBe(404);
  expect([ofReader?.status, ofReader?.body.visibility]).toEqual([202, 'private']);
});
