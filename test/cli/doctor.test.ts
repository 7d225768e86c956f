import { chmod, chown, cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contentsOfFiles } from '#cli/doctor/files.ts';
import { filesFolder, folders } from '#cli/doctor/folders.ts';
import { indexes } from '#cli/doctor/indexes.ts';
import { clock, disk } from '#cli/doctor/machine.ts';
import { jobs, retryJobs } from '#cli/doctor/queue.ts';
import { refs } from '#cli/doctor/refs.ts';
import { newest, objects, pushes } from '#cli/doctor/repositories.ts';
import { run } from '#git/process/run.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { enqueue } from '#jobs/job.ts';
import { startWorker } from '#jobs/worker.ts';
import type { Id } from '#lib/id.ts';
import { commit } from '#test/git/support.ts';
import { world } from '#test/support/world.ts';

const here = await world({ embeddings: { provider: 'builtin' } });
const { db, hearth } = here;

/** A repository with a commit on its default branch and an issue, indexed. */
async function indexedRepository() {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const client = await here.as(ada);
  const path = `/repos/${ada.login}/${repo.name}`;
  await client.put(`${path}/contents/a.txt`, { message: 'A file', content: 'eA==' });
  await client.post(`${path}/issues`, { title: 'An issue' });
  await here.settle();
  return repo;
}

const wrong = (findings: { check: string; ok: boolean }[]): string[] =>
  findings.filter(({ ok }) => !ok).map(({ check }) => check);

test('each index that lacks something is named, unless jobs are under way', async () => {
  await indexedRepository();
  const found = await indexes(here);
  expect(found.map(({ check }) => check)).toEqual([
    'code index',
    'commit index',
    'repo index',
    'user index',
    'issue index',
    'vectors',
  ]);
  expect(wrong(found)).toEqual([]);
  await sql`update code_indexes set analyser = 0`.execute(db);
  await sql`update commit_indexes set branch = 'another'`.execute(db);
  await sql`delete from repository_words`.execute(db);
  await sql`delete from account_words`.execute(db);
  await sql`delete from issue_documents`.execute(db);
  await sql`delete from issue_vectors`.execute(db);
  const lacking = await indexes(here);
  expect(wrong(lacking)).toEqual(lacking.map(({ check }) => check));
  expect(lacking[4]).toMatchObject({ detail: '0 issues; 1 missing or outdated: run `hearth reindex`' });
  await here.change((scope) => enqueue(scope.tx, { name: 'search.catch-up', attempts: 1 }, {}));
  expect(wrong(await indexes(here))).toEqual([]);
  await here.settle();
  expect(wrong(await indexes(here))).toEqual(['issue index', 'vectors']);
});

test('an index that cannot be read is a finding, and the others are checked all the same', async () => {
  await sql`alter table commit_indexes rename to lost_indexes`.execute(db);
  onTestFinished(async () => void (await sql`alter table lost_indexes rename to commit_indexes`.execute(db)));
  const found = await indexes(here);
  expect(found).toHaveLength(6);
  expect(found.filter(({ detail }) => detail.startsWith('could not be checked'))).toEqual([
    { check: 'commit index', ok: false, detail: expect.stringContaining('commit_indexes') },
  ]);
});

test('a branch that moved without the indexes is found', async () => {
  const row = await indexedRepository();
  const repo = repoOf(hearth.services.git, row.id);
  expect(await newest(here)).toMatchObject({ ok: true });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: await commit(repo, { b: 'x' }) }]);
  expect(await newest(here)).toMatchObject({ ok: false, detail: `not indexed: ${await nameOf(row.id)}` });
});

test('repositories without a folder are wrong, and folders without a repository are told', async () => {
  const repo = await here.repo(await here.user());
  expect(await folders(here)).toMatchObject({ ok: true });
  const { root } = hearth.services.git;
  await mkdir(join(root, '09', '999999.git'), { recursive: true });
  expect(await folders(here)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/; folders without a repository: 999999$/),
  });
  await rm(join(root, '09'), { recursive: true });
  const { path } = repoOf(hearth.services.git, repo.id);
  await rename(path, `${path}.kept`);
  onTestFinished(() => rename(`${path}.kept`, path));
  expect(await folders(here)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(`; ${await nameOf(repo.id)}: no folder$`),
  });
});

/** What people call a repository. */
async function nameOf(id: Id<'repositories'>): Promise<string> {
  const row = await db
    .selectFrom('repositories as r')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select(['o.login', 'r.name'])
    .where('r.id', '=', id)
    .executeTakeFirstOrThrow();
  return `${row.login}/${row.name}`;
}

describe('each damage to a repository', () => {
  const emptied = (path: string) => writeFile(path, '');
  const halved = async (path: string) => {
    await chmod(path, 0o600); // Git makes packs read-only
    await truncate(path, Math.floor((await stat(path)).size / 2));
  };
  const packFile = async (path: string, kind: string) => {
    const folder = join(path, 'objects/pack');
    const name = (await readdir(folder)).find((one) => one.endsWith(kind));
    return join(folder, name ?? 'none');
  };
  const shallow = { folders: true, deep: true };

  test.each([
    ['an empty HEAD', (path: string) => emptied(join(path, 'HEAD')), /: HEAD is empty$/, shallow],
    ['a damaged HEAD', (path: string) => writeFile(join(path, 'HEAD'), 'rubbish'), /: HEAD is damaged$/, shallow],
    ['no HEAD', (path: string) => rm(join(path, 'HEAD')), /: HEAD is missing$/, shallow],
    ['no objects', (path: string) => rm(join(path, 'objects'), { recursive: true }), /: objects is missing$/, shallow],
    ['no folder', (path: string) => rm(path, { recursive: true }), /: no folder$/, shallow],
    [
      'a pack that is cut',
      async (path: string) => halved(await packFile(path, '.pack')),
      undefined,
      { folders: false, deep: true },
    ],
    ['no pack', async (path: string) => rm(await packFile(path, '.pack')), undefined, { folders: false, deep: true }],
    ['no index of a pack', async (path: string) => rm(await packFile(path, '.idx')), undefined, { folders: false, deep: true }],
    [
      'a ref to nothing',
      (path: string) => writeFile(join(path, 'refs/heads/main'), `${'1'.repeat(40)}\n`),
      undefined,
      { folders: false, deep: true },
    ],
  ])('is found, and named with its repository: %s', async (_what, damage, said, found) => {
    const [damaged, intact] = [await indexedRepository(), await indexedRepository()];
    const repo = repoOf(hearth.services.git, damaged.id);
    const [name, other] = [await nameOf(damaged.id), await nameOf(intact.id)];
    await run(repo, ['repack', '-a', '-d', '-q']);
    await run(repo, ['pack-refs', '--all']);
    await hearth.services.git.readers.closeAll();
    await cp(repo.path, `${repo.path}.kept`, { recursive: true });
    onTestFinished(async () => {
      await hearth.services.git.readers.closeAll();
      await rm(repo.path, { recursive: true, force: true });
      await rename(`${repo.path}.kept`, repo.path);
    });
    const before = [await folders(here), await objects(here)];
    await damage(repo.path);
    const after = [await folders(here), await objects(here), await newest(here)];
    expect(before.map(({ ok }) => ok)).toEqual([true, true]);
    expect(after.slice(0, 2).map(({ ok }) => ok)).toEqual([!found.folders, !found.deep]);
    for (const { detail, ok } of after.slice(0, 2)) if (!ok) expect(detail).toContain(`${name}: `);
    for (const { detail } of after) expect(detail).not.toContain(other);
    if (said) expect(after[0]?.detail).toMatch(said);
  });
});

/** A repository whose refs are packed: its default branch, another one, and the head of a pull request. */
async function packedRepository() {
  const row = await indexedRepository();
  const name = await nameOf(row.id);
  const [login = ''] = name.split('/');
  const owner = await db.selectFrom('accounts').selectAll().where('login', '=', login).executeTakeFirstOrThrow();
  const client = await here.as(owner);
  const repo = repoOf(hearth.services.git, row.id);
  const { body } = await client.get(`/repos/${name}/git/ref/heads/main`);
  await client.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/side', sha: body.object.sha });
  await client.put(`/repos/${name}/contents/b.txt`, { message: 'B', content: 'eA==', branch: 'side' });
  const pull = await client.post(`/repos/${name}/pulls`, { title: 'B', head: 'side', base: 'main' });
  expect(pull.status).toBe(201);
  await here.settle();
  await run(repo, ['pack-refs', '--all']);
  await hearth.services.git.readers.closeAll();
  return { row, repo, name, pull: `refs/pull/${pull.body.number}/head`, packed: join(repo.path, 'packed-refs') };
}

test('lost refs are found: all of them, the default branch, the head of a pull request', async () => {
  const { repo, name, pull, packed, row } = await packedRepository();
  const text = await readFile(packed, 'utf8');
  onTestFinished(() => writeFile(packed, text));
  const without = (ref: string) => writeFile(packed, text.replace(new RegExp(`^[0-9a-f]{40} ${ref}\n`, 'm'), ''));
  const gone = (what: string) => ({ check: 'refs', ok: false, detail: `${name}: ${what}` });
  expect(await refs(here)).toMatchObject({ ok: true });
  await writeFile(packed, '');
  expect(await refs(here)).toEqual(gone('all refs are gone'));
  await rm(packed);
  expect(await refs(here)).toEqual(gone('all refs are gone'));
  // Even where the indexes have followed, the last push tells.
  await sql`update code_indexes set commit_oid = null where repository_id = ${row.id}`.execute(db);
  await sql`update pull_requests set tested_head_sha = null where repository_id = ${row.id}`.execute(db);
  expect(await refs(here)).toEqual(gone('all refs are gone'));
  await writeFile(packed, text);
  const tip = (await run(repo, ['rev-parse', 'main'])).stdout.toString().trim();
  await sql`update code_indexes set commit_oid = ${tip} where repository_id = ${row.id}`.execute(db);
  await sql`update pull_requests set tested_head_sha = head_sha where repository_id = ${row.id}`.execute(db);
  await without('refs/heads/main');
  expect(await refs(here)).toEqual(gone('refs/heads/main is gone'));
  await without(pull);
  expect(await refs(here)).toEqual(gone(`${pull} is gone`));
});

test('a repository whose refs were deleted by right has lost none', async () => {
  const ada = await here.user();
  const row = await here.repo(ada);
  const client = await here.as(ada);
  const path = `/repos/${ada.login}/${row.name}`;
  await client.put(`${path}/contents/a.txt`, { message: 'A', content: 'eA==', branch: 'side' });
  await client.put(`${path}/contents/a.txt`, { message: 'A', content: 'eA==' });
  await client.delete(`${path}/git/refs/heads/side`);
  await client.delete(`${path}/git/refs/heads/main`);
  await here.settle();
  expect(await refs(here)).toMatchObject({ ok: true });
});

test.skipIf(process.getuid?.() !== 0)('what another user made in a repository, or among the files, is found', async () => {
  const { repo, name, packed } = await packedRepository();
  await run(repo, ['repack', '-a', '-d', '-q']);
  await mkdir(join(repo.path, 'objects/00'), { recursive: true });
  const pack = (await readdir(join(repo.path, 'objects/pack'))).find((one) => one.endsWith('.pack')) ?? '';
  for (const path of [
    packed,
    join(repo.path, 'objects/pack', pack),
    join(repo.path, 'objects/00'),
    join(repo.path, 'objects/pack'),
  ]) {
    expect(await folders(here)).toMatchObject({ ok: true });
    await chown(path, 4_321, 4_321);
    const detail = expect.stringContaining(
      `${name}: ${path.slice(repo.path.length + 1)} belongs to user 4321, and not to user 0`,
    );
    expect(await folders(here)).toMatchObject({ ok: false, detail });
    await chown(path, 0, 0);
  }
  await hearth.services.objects.put('77/a', (sink) => sink(Buffer.from('x')));
  expect(await filesFolder(here)).toMatchObject({ ok: true });
  const file = join(dirname(hearth.services.git.root), 'objects/77/a');
  for (const path of [file, dirname(file)]) {
    await chown(path, 4_321, 4_321);
    expect(await filesFolder(here)).toMatchObject({ ok: false, detail: expect.stringContaining('77') });
    await chown(path, 0, 0);
  }
  await hearth.services.objects.removeGroup('77');
});

test('the contents of results of tools are compared too, and what was not read is said', async () => {
  const { row } = await packedRepository();
  const stored = await hearth.services.objects.put('78/a', (sink) => sink(Buffer.from('x')));
  await db
    .insertInto('code_scanning_uploads')
    .values({
      repository_id: row.id,
      sarif_id: 'doctor',
      commit_sha: '',
      ref: '',
      object_key: '78/a',
      digest: stored.digest,
      created_at: new Date(),
    })
    .execute();
  expect(await contentsOfFiles(here)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^1 file .*: every one is whole$/),
  });
  const file = join(dirname(hearth.services.git.root), 'objects/78/a');
  await writeFile(file, 'y');
  expect(await contentsOfFiles(here)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/: 78\/a is not what was uploaded$/),
  });
  await rm(file);
  expect(await contentsOfFiles(here)).toMatchObject({ ok: false, detail: expect.stringMatching(/: 78\/a is missing$/) });
  await db.deleteFrom('code_scanning_uploads').where('sarif_id', '=', 'doctor').execute();
});

test('files that belong to another user than the folder of all repositories are found, the first of many by name', async () => {
  await indexedRepository();
  const first = await db.selectFrom('repositories').select('id').orderBy('id').executeTakeFirstOrThrow();
  const own = process.getuid?.() ?? 0;
  expect(await folders(here, own)).toMatchObject({ ok: true });
  const { ok, detail } = await folders(here, own + 1);
  const said = `its folder belongs to user ${own}, and not to user ${own + 1} as the folder of all repositories`;
  expect(ok).toBe(false);
  expect(detail).toContain(`${await nameOf(first.id)}: ${said}`);
});

test('free space is told once for each volume, and what is missing is left out', async () => {
  const { root } = hearth.services.git;
  const volume = (folder: string) => expect.stringMatching(new RegExp(`^\\d+ MiB free in ${folder}$`));
  expect(await disk([root, join(root, 'tmp'), join(root, 'missing')])).toMatchObject({ detail: volume(root) });
  const { detail } = await disk([root, '/proc']);
  expect(detail.split('; ')).toEqual([volume(root), expect.stringContaining('free in /proc')]);
});

test('a clock that differs from that of PostgreSQL, or was set back, is wrong', async () => {
  const at = (shift: number) => () => new Date(Date.now() + shift);
  expect(await clock(here)).toMatchObject({ ok: true });
  expect(await clock(here, at(60_000))).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^60 s ahead of the clock of PostgreSQL/),
  });
  expect(await clock(here, at(-60_000))).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^60 s behind the clock of PostgreSQL/),
  });
  await here.repo(await here.user());
  await sql`update events set created_at = now() + interval '1 hour' where id = (select max(id) from events)`.execute(db);
  expect(await clock(here)).toMatchObject({ ok: false, detail: expect.stringMatching(/was the clock set back\?$/) });
  await here.settle();
});

test('a push that could not be recorded for hours is wrong', async () => {
  const repo = await here.repo(await here.user());
  const now = new Date('2026-01-01T12:00:00Z');
  const begin = (time: string) =>
    db
      .insertInto('ref_changes')
      .values({ repository_id: repo.id, commands: '[]', started_at: new Date(`2026-01-01T${time}Z`) })
      .execute();
  await begin('10:30:00');
  expect(await pushes(here, now)).toMatchObject({ ok: true });
  await begin('09:30:00');
  expect(await pushes(here, now)).toMatchObject({ ok: false, detail: expect.stringMatching(`, in ${await nameOf(repo.id)}$`) });
});

test('a queue that stands still is wrong, with or without a worker', async () => {
  await here.settle();
  expect(await jobs(here)).toEqual({ check: 'jobs', ok: true, detail: '0 waiting' });
  await sql`select jobs.add_job('search.catch-up', run_at => now() - interval '10 minutes')`.execute(db);
  expect(await jobs(here)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^1 waiting, the oldest for 6\d\d s; nothing does/),
  });
  // It takes jobs that it knows, and this isn't one.
  const worker = await startWorker({ ...hearth.worker, jobs: [], loops: [], log: pino({ level: 'silent' }) });
  expect(await jobs(here)).toMatchObject({ ok: false, detail: expect.stringMatching(/; they are not taken$/) });
  await worker.stop();
  await here.settle();
});

test('events that wait are counted with the jobs', async () => {
  await here.settle();
  await here.repo(await here.user());
  expect(await jobs(here)).toMatchObject({
    detail: expect.stringMatching(/^0 waiting, and 1 event(, the oldest for \d+ s)?; nothing does/),
  });
  await here.settle();
  expect(await jobs(here)).toEqual({ check: 'jobs', ok: true, detail: '0 waiting' });
});

test('jobs that were given up are named with the reason, and tried again when asked to; those by the clock are not meant', async () => {
  await here.settle();
  await sql`select jobs.add_job(task, max_attempts => 1)
    from unnest(array['search.catch-up', 'search.index-repository']) as t(task)`.execute(db);
  await sql`update jobs._private_jobs set attempts = 1, last_error = E'it broke\nsomewhere'`.execute(db);
  expect(await jobs(here)).toEqual({
    check: 'jobs',
    ok: false,
    detail: '0 waiting; given up: 1 job search.index-repository (it broke)',
  });
  expect(await retryJobs(here)).toBe(1);
  expect(await jobs(here)).toMatchObject({ ok: true, detail: '1 waiting' });
});
