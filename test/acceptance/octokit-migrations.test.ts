import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, repo, as, token, settle, url } = await world({ vocabulary: 'github' });

test('an unmodified Octokit starts a migration, polls it, downloads its archive, deletes it and unlocks the repository', async () => {
  const ada = await user('ada');
  await repo(ada, { name: 'engine', visibility: 'private' });
  const octokit = new Octokit({ auth: await token(ada, ['repo']), baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  const { migrations } = octokit.rest;

  const started = await migrations.startForAuthenticatedUser({ repositories: ['ada/engine'], lock_repositories: true });
  expect(started).toMatchObject({ status: 201, data: { state: 'pending', owner: { login: 'ada' } } });
  const migration_id = started.data.id;
  await settle();

  const { data: status } = await migrations.getStatusForAuthenticatedUser({ migration_id });
  expect(status).toMatchObject({ id: migration_id, state: 'exported', repositories: [{ full_name: 'ada/engine' }] });
  const { data: short } = await migrations.getStatusForAuthenticatedUser({ migration_id, exclude: ['repositories'] });
  expect(short.repositories).toEqual([]);
  expect((await octokit.paginate(migrations.listForAuthenticatedUser)).map(({ id }) => id)).toEqual([migration_id]);
  const repositories = await octokit.paginate(migrations.listReposForAuthenticatedUser, { migration_id });
  expect(repositories.map(({ full_name }) => full_name)).toEqual(['ada/engine']);

  // Octokit follows the redirect.
  const archive = (await migrations.getArchiveForAuthenticatedUser({ migration_id })) as { data: unknown; status: number };
  expect(archive.status).toBe(200);
  expect([...new Uint8Array(archive.data as ArrayBuffer).slice(0, 2)]).toEqual([0x1f, 0x8b]);

  const client = await as(ada);
  expect((await client.post('/repos/ada/engine/issues', { title: 'Late' })).status).toBe(403);
  expect((await migrations.unlockRepoForAuthenticatedUser({ migration_id, repo_name: 'engine' })).status).toBe(204);
  expect((await client.post('/repos/ada/engine/issues', { title: 'In time' })).status).toBe(201);
  expect((await migrations.deleteArchiveForAuthenticatedUser({ migration_id })).status).toBe(204);
  await expect(migrations.getArchiveForAuthenticatedUser({ migration_id })).rejects.toMatchObject({ status: 404 });
  const wrong = migrations.startForAuthenticatedUser({ repositories: ['ada/none'] });
  await expect(wrong).rejects.toMatchObject({ status: 422 });
});
