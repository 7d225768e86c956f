import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { fresh, world } from '#test/support/world.ts';
import { advisoryFolder, advisoryOf, loadFolder, lockOf, writeAdvisory } from './setting.ts';

const folder = await advisoryFolder();
atEndOfFile(() => rm(folder, { recursive: true }));
const here = await world({ vocabulary: 'github', advisories: folder });
const owner = await here.user();
const org = await here.org(owner);
const client = await here.as(owner);
const id = 'GHSA-2345-6789-cfgh';
await writeAdvisory(folder, advisoryOf(id, 'left', '1.2.0'));
await loadFolder(here);

async function setting() {
  const repo = await here.repo(org, { name: fresh('engine'), by: owner, visibility: 'private' });
  const path = `/repos/${org.login}/${repo.name}`;
  await client.put(`${path}/vulnerability-alerts`);
  const put = async (file: string, text: string, branch?: string): Promise<string> => {
    const at = `${path}/contents/${file}`;
    const { sha } = (await client.get(branch === undefined ? at : `${at}?ref=${branch}`)).body;
    const content = Buffer.from(text).toString('base64');
    const { body } = await client.put(at, { message: `Change ${file}`, content, sha, branch });
    await here.settle();
    return body.commit.sha;
  };
  const submit = (sha: string, packages: string[], more: object = {}) =>
    client.post(`${path}/dependency-graph/snapshots`, {
      version: 0,
      sha,
      ref: 'refs/heads/main',
      job: { id: '1', correlator: 'build' },
      detector: { name: 'bundler', version: '1.0', url: 'https://bundler.example' },
      scanned: '2026-01-01T00:00:00Z',
      manifests: {
        bundle: {
          name: 'bundle',
          file: { source_location: 'dist/bundle.js' },
          resolved: Object.fromEntries(packages.map((package_url, at) => [`p${at}`, { package_url }])),
        },
      },
      ...more,
    });
  const alerts = async (): Promise<string[]> =>
    (await client.get(`${path}/dependency-bot/alerts`)).body.map(
      (one: { state: string; dependency: { manifest_path: string } }) => `${one.dependency.manifest_path} ${one.state}`,
    );
  const urls = async (): Promise<string[]> => {
    const { packages } = (await client.get(`${path}/dependency-graph/sbom`)).body.sbom;
    return packages.flatMap((one: { externalRefs?: { referenceLocator: string }[] }) =>
      (one.externalRefs ?? []).map(({ referenceLocator }) => referenceLocator),
    );
  };
  return { repo, path, put, submit, alerts, urls };
}

test('what a build submits is in the bill of materials, raises an alert, and is replaced by the next submission', async () => {
  const { path, put, submit, alerts, urls } = await setting();
  const sha = await put('README.md', 'An engine');
  const made = await submit(sha, ['pkg:/npm/left@1.1.0', 'pkg:gem/rails@7.0.0']);
  expect(made).toMatchObject({ status: 201, body: { id: expect.any(Number), result: 'SUCCESS' } });
  await here.settle();
  expect(await urls()).toEqual(['pkg:npm/left@1.1.0', 'pkg:gem/rails@7.0.0']);
  expect((await client.get(`${path}/dependency-graph/sbom`)).body.sbom.creationInfo.creators).toEqual([
    'Tool: Hearth',
    'Tool: bundler-1.0',
  ]);
  expect(await alerts()).toEqual(['dist/bundle.js open']);
  // Another job, another branch and a push leave it as it is.
  await submit(sha, ['pkg:npm/right@2.0.0'], { job: { id: '2', correlator: 'other' } });
  expect((await submit(sha, ['pkg:npm/down@1.0.0'], { ref: 'refs/heads/topic' })).body.result).toBe('ACCEPTED');
  await put('README.md', 'A better engine');
  expect(await urls()).toEqual(['pkg:npm/left@1.1.0', 'pkg:npm/right@2.0.0', 'pkg:gem/rails@7.0.0']);
  expect(await alerts()).toEqual(['dist/bundle.js open']);
  await submit(sha, ['pkg:npm/left@1.2.0']);
  await here.settle();
  expect(await alerts()).toEqual(['dist/bundle.js fixed']);
  expect(await urls()).toEqual(['pkg:npm/left@1.2.0', 'pkg:npm/right@2.0.0']);
  await client.delete(`${path}/vulnerability-alerts`);
  await here.settle();
  await client.put(`${path}/vulnerability-alerts`);
  await here.settle();
  expect(await urls()).toEqual([]);
});

test('a snapshot that is none is refused with its field, and nothing is stored', async () => {
  const { put, submit, path, repo } = await setting();
  const sha = await put('README.md', 'An engine');
  await here.unchanged(['dependency_snapshots', 'dependency_manifests', 'events'], async () => {
    const refused = async (packages: string[], more: object = {}) => {
      const { status, body } = await submit(sha, packages, more);
      expect(status, JSON.stringify(body)).toBe(422);
      return body.errors?.map(({ field }: { field: string }) => field) ?? body.message;
    };
    expect(await refused(['pkg:left'])).toEqual(['manifests.bundle.resolved.p0.package_url']);
    expect(await refused(['left'])).toEqual([expect.stringContaining('package_url')]);
    expect(await refused([`pkg:npm/${'x'.repeat(600)}@1`])).toEqual(['manifests.bundle.resolved.p0.package_url']);
    expect(await refused([], { ref: 'main' })).toEqual(['ref']);
    expect(await refused([], { sha: '1'.repeat(40) })).toContain('No commit found');
    expect(await refused([], { metadata: { deep: {} } })).toEqual([expect.stringContaining('metadata')]);
    expect(await refused([], { detector: undefined })).toEqual(['detector']);
    const many = Array.from({ length: 301 }, (_, at) => [`m${at}`, { name: `m${at}` }]);
    expect(await refused([], { manifests: Object.fromEntries(many) })).toEqual(['manifests']);
    const reader = await here.user();
    await here.collaborator(repo, reader, 'read');
    expect((await (await here.as(reader)).post(`${path}/dependency-graph/snapshots`, {})).status).toBe(403);
  });
});

test('a ref has no more snapshots and dependencies than its limits, and of other refs the oldest go', async () => {
  const { repo, put, submit } = await setting();
  const sha = await put('README.md', 'An engine');
  const insert = (ref: string) => sql`
    insert into dependency_snapshots (repository_id, detector, detector_version, correlator, ref, commit_sha, created_at)
    select ${repo.id}, 'bundler', '1.0', 'job ' || n, ${ref}, ${sha}, now() from generate_series(1, 50) n returning id`;
  const { rows: of } = await insert('refs/heads/main').execute(here.db);
  const tables = ['dependency_snapshots', 'dependency_manifests', 'dependencies', 'events'] as const;
  const refused = (field: string) => ({ status: 422, body: { errors: [{ field, code: 'too_large' }] } });
  await here.unchanged(tables, async () =>
    expect(await submit(sha, ['pkg:npm/left@1.1.0'])).toMatchObject(refused('job.correlator')),
  );
  // One of them may tell something else, as long as all of them together name no more than fifty thousand dependencies.
  const job = { id: '2', correlator: 'job 7' };
  expect((await submit(sha, ['pkg:npm/left@1.1.0'], { job })).body.result).toBe('SUCCESS');
  const other = (of as { id: number }[])[0]?.id;
  await sql`
    with manifest as (insert into dependency_manifests (repository_id, path, snapshot_id)
      values (${repo.id}, 'all', ${other}) returning id)
    insert into dependencies (manifest_id, ecosystem, name, version, scope, relationship)
    select id, 'npm', 'p' || n, '1.0.0', 'runtime', 'unknown' from manifest, generate_series(1, 49999) n`.execute(here.db);
  await here.unchanged(tables, async () =>
    expect(await submit(sha, ['pkg:npm/left@1.1.0', 'pkg:npm/right@1.0.0'], { job })).toMatchObject(refused('manifests')),
  );

  const { rows: elsewhere } = await insert('refs/heads/topic').execute(here.db);
  const oldest = (elsewhere as { id: number }[])[0]?.id;
  const made = await submit(sha, [], { ref: 'refs/heads/another' });
  const { rows: kept } = await sql<{ id: number }>`
    select id from dependency_snapshots where repository_id = ${repo.id} and ref <> 'refs/heads/main' order by id`.execute(
    here.db,
  );
  expect(kept).toHaveLength(50);
  expect(kept.map(({ id }) => id)).toContain(made.body.id);
  expect(kept.map(({ id }) => id)).not.toContain(oldest);
});

test('a comparison tells which dependencies come and go, and which are vulnerable', async () => {
  const { path, put, submit } = await setting();
  const base = await put('web/package-lock.json', lockOf({ right: '1.0.0', up: '1.0.0' }));
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/topic', sha: base });
  const lock = JSON.parse(lockOf({ left: '1.1.0', up: '1.0.0' }));
  lock.packages['node_modules/left'].license = 'MIT';
  await put('web/package-lock.json', JSON.stringify(lock), 'topic');
  const head = await put('requirements.txt', 'django>=4', 'topic');
  await put('go.mod', 'module a.test/b'); // what is new on the other side is no change of this one
  const compare = (query = '') => client.get(`${path}/dependency-graph/compare/main...topic${query}`);
  const added = { change_type: 'added', scope: 'runtime', source_repository_url: null };
  expect((await compare()).body).toEqual([
    {
      ...added,
      manifest: 'requirements.txt',
      ecosystem: 'pip',
      name: 'django',
      version: '>=4',
      package_url: 'pkg:pypi/django',
      license: null,
      vulnerabilities: [],
    },
    {
      ...added,
      manifest: 'web/package-lock.json',
      ecosystem: 'npm',
      name: 'left',
      version: '1.1.0',
      package_url: 'pkg:npm/left@1.1.0',
      license: 'MIT',
      vulnerabilities: [
        {
          severity: 'critical',
          advisory_ghsa_id: id,
          advisory_summary: 'left breaks',
          advisory_url: expect.stringContaining(`/advisories/${id}`),
        },
      ],
    },
    expect.objectContaining({ change_type: 'removed', name: 'right', version: '1.0.0', vulnerabilities: [] }),
  ]);
  const names = async (query?: string) =>
    (await compare(query)).body.map((one: { change_type: string; name: string }) => `${one.change_type} ${one.name}`);
  expect(await names('?name=requirements.txt')).toEqual(['added django']);
  expect((await client.get(`${path}/dependency-graph/compare/topic...topic`)).body).toEqual([]);

  // Snapshots count where the same job submitted one for both commits.
  const at = { ref: 'refs/heads/topic' };
  await submit(head, ['pkg:npm/left@1.0.0', 'pkg:npm/same@1.0.0'], at);
  expect(await names('?name=dist/bundle.js')).toEqual([]);
  await submit(base, ['pkg:npm/gone@1.0.0', 'pkg:npm/same@1.0.0']);
  expect(await names('?name=dist/bundle.js')).toEqual(['removed gone', 'added left']);
  const statements = await here.statements(owner, `${path}/dependency-graph/compare/main...topic`);
  expect(statements).toBeLessThanOrEqual(5);

  expect((await client.get(`${path}/dependency-graph/compare/main...nowhere`)).status).toBe(404);
  await put('package-lock.json', '{ broken', 'topic');
  expect(await compare()).toMatchObject({ status: 422, body: { message: expect.stringContaining('package-lock.json') } });
  await client.delete(`${path}/vulnerability-alerts`);
  expect((await compare()).status).toBe(404);
});

test('what a repository of this server published counts in comparisons of its owner alone', async () => {
  const publish = async (by: typeof client, owner: string, name: string) => {
    const path = `/repos/${owner}/${name}/security-advisories`;
    const vulnerabilities = [{ package: { ecosystem: 'npm', name: 'solo' }, vulnerable_version_range: '< 2.0.0' }];
    const { body } = await by.post(path, { summary: 'It breaks', description: 'Badly.', severity: 'high', vulnerabilities });
    expect((await by.patch(`${path}/${body.ghsa_id}`, { state: 'published' })).status).toBe(200);
    return body.ghsa_id;
  };
  const stranger = await here.user();
  const theirs = await here.repo(stranger, { name: fresh('solo') });
  await publish(await here.as(stranger), stranger.login, theirs.name);
  const { path, put } = await setting();
  const base = await put('README.md', 'An engine');
  const head = await put('package-lock.json', lockOf({ solo: '1.0.0' }));
  const found = async () => (await client.get(`${path}/dependency-graph/compare/${base}...${head}`)).body[0].vulnerabilities;
  expect(await found()).toEqual([]);
  const own = await here.repo(org, { name: fresh('solo'), by: owner, visibility: 'public' });
  const advisory_ghsa_id = await publish(client, org.login, own.name);
  expect(await found()).toMatchObject([{ advisory_ghsa_id }]);
});
