import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { expect, test } from 'vitest';
import { indexes } from '#cli/doctor/indexes.ts';
import { jobs, retryJobs } from '#cli/doctor/queue.ts';
import { folders, newest, pushes } from '#cli/doctor/repositories.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { enqueue } from '#jobs/job.ts';
import { startWorker } from '#jobs/worker.ts';
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
  await here.change((tx) => enqueue(tx, { name: 'search.catch-up', attempts: 1 }, {}));
  expect(wrong(await indexes(here))).toEqual([]);
  await here.settle();
  expect(wrong(await indexes(here))).toEqual(['issue index', 'vectors']);
});

test('a branch that moved without the indexes is found', async () => {
  const repo = repoOf(hearth.services.git, (await indexedRepository()).id);
  expect(await newest(here)).toMatchObject({ ok: true });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: await commit(repo, { b: 'x' }) }]);
  expect(await newest(here)).toMatchObject({ ok: false, detail: `not indexed, in the repositories ${repo.id}` });
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
  await rm(repoOf(hearth.services.git, repo.id).path, { recursive: true });
  expect(await folders(here)).toMatchObject({ ok: false, detail: expect.stringMatching(`; no folder: ${repo.id}$`) });
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
  expect(await pushes(here, now)).toMatchObject({ ok: false, detail: expect.stringMatching(`in the repositories ${repo.id}$`) });
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
  await sql`select jobs.add_job(task, max_attempts => 1) from unnest(array['search.catch-up', 'search.index-repository']) as t(task)`.execute(
    db,
  );
  await sql`update jobs._private_jobs set attempts = 1, last_error = E'it broke\nsomewhere'`.execute(db);
  expect(await jobs(here)).toEqual({
    check: 'jobs',
    ok: false,
    detail: '0 waiting; given up: 1 job search.index-repository (it broke)',
  });
  expect(await retryJobs(here)).toBe(1);
  expect(await jobs(here)).toMatchObject({ ok: true, detail: '1 waiting' });
});
