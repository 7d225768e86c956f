import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, org, repo, as, token, settle, url } = await world({ vocabulary: 'github' });
const octokitWith = (auth: string) => new Octokit({ auth, baseUrl: `${url}/api/v3`, throttle: { enabled: false } });

test('an unmodified Octokit starts a migration, polls it, downloads its archive, deletes it and unlocks the repository', async () => {
  const ada = await user('ada');
  await repo(ada, { name: 'engine', visibility: 'private' });
  const octokit = octokitWith(await token(ada, ['repo']));
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

test("an unmodified Octokit does the same with an organization's migration", async () => {
  const eve = await user('eve');
  const acme = await org(eve, 'acme');
  await repo(acme, { name: 'pump', visibility: 'private', by: eve });
  const octokit = octokitWith(await token(eve, ['admin:org', 'repo']));
  const { migrations } = octokit.rest;

  const started = await migrations.startForOrg({ org: 'acme', repositories: ['acme/pump'], lock_repositories: true });
  expect(started).toMatchObject({ status: 201, data: { state: 'pending', owner: { login: 'acme' } } });
  const one = { org: 'acme', migration_id: started.data.id };
  await settle();

  const { data: status } = await migrations.getStatusForOrg(one);
  expect(status).toMatchObject({ id: one.migration_id, state: 'exported', repositories: [{ full_name: 'acme/pump' }] });
  expect((await migrations.getStatusForOrg({ ...one, exclude: ['repositories'] })).data.repositories).toEqual([]);
  const listed = await octokit.paginate(migrations.listForOrg, { org: 'acme', exclude: ['repositories'] });
  expect(listed).toMatchObject([{ id: one.migration_id, repositories: [] }]);
  const repositories = await octokit.paginate(migrations.listReposForOrg, one);
  expect(repositories.map(({ full_name }) => full_name)).toEqual(['acme/pump']);

  // Octokit follows the redirect.
  const archive = (await migrations.downloadArchiveForOrg(one)) as { data: unknown; status: number };
  expect(archive.status).toBe(200);
  expect([...new Uint8Array(archive.data as ArrayBuffer).slice(0, 2)]).toEqual([0x1f, 0x8b]);

  const client = await as(eve);
  expect((await client.post('/repos/acme/pump/issues', { title: 'Late' })).status).toBe(403);
  expect((await migrations.unlockRepoForOrg({ ...one, repo_name: 'pump' })).status).toBe(204);
  expect((await client.post('/repos/acme/pump/issues', { title: 'In time' })).status).toBe(201);
  expect((await migrations.deleteArchiveForOrg(one)).status).toBe(204);
  await expect(migrations.downloadArchiveForOrg(one)).rejects.toMatchObject({ status: 404 });
  await expect(migrations.startForOrg({ org: 'acme', repositories: ['ada/engine'] })).rejects.toMatchObject({ status: 422 });
});
