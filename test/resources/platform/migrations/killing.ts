import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Db } from '#database/connect.ts';
import type { ObjectStore } from '#objects/store.ts';

/**
 * Servers that are killed without warning while they write an archive. The suite tries a few kills, `bench/migrations/kills.ts`
 * many.
 */
const run = promisify(execFile);

export type KillStage = {
  db: Db;
  /** The folder in which archives are written. */
  archives: string;
  /** A folder for files of the trial. */
  aside: string;
  /** A classic token with the scope `repo`. */
  token: string;
  /** The repository that is exported, `owner/name`. */
  repository: string;
  start(): Promise<Killable>;
};

export type Killable = { url: string; kill(): Promise<unknown> };

export type Kills = {
  /** All kills: those that came too late, when the archive was written, are among them. */
  all: number;
  /** Kills that left an archive half written. */
  inside: number;
  exported: number;
  failed: number;
  /** What must not be, in words. */
  problems: string[];
};

/** Makes the issues and comments of a repository, whose export takes a while. */
export async function fillIssues(db: Db, issues: number): Promise<void> {
  const text = 'It leaks when it rains, and when it does not, it stalls. '.repeat(10);
  const { id, owner_id } = await db.selectFrom('repositories').select(['id', 'owner_id']).executeTakeFirstOrThrow();
  const common = { repository_id: id, author_id: owner_id, body: text, created_at: new Date(), updated_at: new Date() };
  for (let from = 1; from <= issues; from += 500) {
    const numbers = Array.from({ length: Math.min(500, issues - from + 1) }, (_, at) => from + at);
    const rows = await db
      .insertInto('issues')
      .values(numbers.map((number) => ({ ...common, number, title: `Issue ${number}` })))
      .returning('id')
      .execute();
    await db
      .insertInto('issue_comments')
      .values(rows.map(({ id: issue_id }) => ({ ...common, issue_id })))
      .execute();
  }
}

/** Makes a release of the repository with some files, whose names in archives are compared after each kill. */
export async function fillRelease(db: Db, objects: ObjectStore, files: number, bytes: () => Buffer): Promise<void> {
  const { id, owner_id } = await db.selectFrom('repositories').select(['id', 'owner_id']).executeTakeFirstOrThrow();
  const times = { created_at: new Date(), updated_at: new Date() };
  const release = await db
    .insertInto('releases')
    .values({
      repository_id: id,
      tag_name: 'v1',
      target_commitish: 'main',
      draft: true,
      prerelease: false,
      latest: 'true',
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (let at = 1; at <= files; at++) {
    const object_key = `${id}/${at}`;
    const stored = await objects.put(object_key, (sink) => sink(bytes()));
    const named = { release_id: release.id, name: `${at}.bin`, content_type: 'application/octet-stream', object_key };
    await db
      .insertInto('release_assets')
      .values({ ...named, ...stored, uploader_id: owner_id, ...times })
      .execute();
  }
}

/** A bare repository with some MiB of files that can't be compressed. */
export async function makeRepository(folder: string, bytes: () => Buffer): Promise<void> {
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
  await mkdir(folder);
  await git('init', '-q', '-b', 'main');
  for (let at = 0; at < 4; at++) await writeFile(join(folder, `${at}.bin`), bytes());
  await git('add', '.');
  await git('commit', '-q', '-m', 'Add files');
}

/** Kills servers until so many kills came in mid-export, and looks at what the next server makes of each. */
export async function killWhileExporting(stage: KillStage, rounds: number): Promise<Kills> {
  const kills: Kills = { all: 0, inside: 0, exported: 0, failed: 0, problems: [] };
  let server = await stage.start();
  try {
    const first = await startMigration(stage, server);
    await begunFile(stage, first);
    const begun = performance.now();
    await finished(stage, server, first, kills);
    const duration = performance.now() - begun;
    const whole = await namesOf(stage, server, first);
    while (kills.inside < rounds) {
      kills.all += 1;
      const id = await startMigration(stage, server);
      await begunFile(stage, id);
      await pause(Math.random() * duration);
      await server.kill();
      const isBegun = (await filesOf(stage, id)).some((name) => name.endsWith('.partial'));
      server = await stage.start();
      const state = await finished(stage, server, id, kills);
      if (isBegun) kills.inside += 1;
      kills[state] += 1;
      const left = await filesOf(stage, id);
      const expected = state === 'exported' ? [`${id}.tar.gz`] : [];
      if (left.join() !== expected.join())
        kills.problems.push(`kill ${kills.all}: ${state}, and there is ${left.join(', ') || 'no file'}`);
      if (state === 'failed') {
        const { failure } = await rowOf(stage, id);
        if (!failure) kills.problems.push(`kill ${kills.all}: failed without a reason`);
        continue;
      }
      const names = await namesOf(stage, server, id).catch((error: Error) => [error.message]);
      if (names.join() !== whole.join())
        kills.problems.push(`kill ${kills.all}: the archive isn't whole: ${names.length} entries`);
      await ask(stage, server, `/${id}/archive`, { method: 'DELETE' });
    }
  } finally {
    await server.kill();
  }
  return kills;
}

const ask = ({ token }: KillStage, { url }: Killable, path: string, options: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/api/v3/user/migrations${path}`, {
    redirect: 'manual',
    ...options,
    headers: { authorization: `Bearer ${token}` },
  });

async function startMigration(stage: KillStage, server: Killable): Promise<number> {
  const response = await ask(stage, server, '', { method: 'POST', body: JSON.stringify({ repositories: [stage.repository] }) });
  if (response.status !== 201) throw new Error(`A migration could not be started: ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
}

const rowOf = ({ db }: KillStage, id: number) =>
  db
    .selectFrom('migrations')
    .select(['state', 'failure'])
    .where('id', '=', id as never)
    .executeTakeFirstOrThrow();

/** Waits for the end of a migration. Until then, nothing must be served. */
async function finished(stage: KillStage, server: Killable, id: number, { problems }: Kills): Promise<'exported' | 'failed'> {
  for (;;) {
    const { status } = await ask(stage, server, `/${id}/archive`);
    const { state } = await rowOf(stage, id);
    if (state === 'exported' || state === 'failed') return state;
    if (status !== 404) problems.push(`migration ${id} is ${state}, and its archive was answered by ${status}`);
    await pause(20);
  }
}

const filesOf = async ({ archives }: KillStage, id: number): Promise<string[]> =>
  (await readdir(archives).catch(() => [])).filter((name) => name.startsWith(`${id}.`));

/** Waits until an archive has a file. */
async function begunFile(stage: KillStage, id: number): Promise<void> {
  while ((await filesOf(stage, id)).length === 0) await pause(2);
}

/** Downloads an archive, which `tar` reads to its end, and gives the names in it; those of packs tell how they were packed. */
async function namesOf(stage: KillStage, server: Killable, id: number): Promise<string[]> {
  const { headers } = await ask(stage, server, `/${id}/archive`);
  const response = await fetch(headers.get('location') ?? '');
  const folder = await mkdtemp(join(stage.aside, 'archive-'));
  try {
    const file = join(folder, 'archive.tar.gz');
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const { stdout } = await run('tar', ['-tzf', file]);
    return stdout
      .split('\n')
      .map((name) => name.replace(/pack-[0-9a-f]+/, 'pack'))
      .toSorted();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
