import { readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { checkRepository } from '#git/maintenance.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { assertGitPresent } from '#git/version.ts';
import { configOf, counted, installationCommand, onInstallation, print } from '../command.ts';
import type { Beside } from '../installation.ts';
import { progressBar } from '../progress.ts';

type Finding = { check: string; ok: boolean; detail: string };

export const doctorCommand = installationCommand(
  'doctor',
  'Check an installation: programs, database, repositories, jobs. Ends with 1 when something is wrong.',
  'hearth doctor --deep',
)
  .option('--deep', 'read every Git object too (git fsck); slow on large installations')
  .action(({ deep }, command) =>
    onInstallation(command, async (installation) => {
      const findings = [
        await programs(),
        await database(installation),
        await disk(configOf(command).data),
        await folders(installation),
        await jobs(installation),
        await index(installation),
        ...(deep ? [await objects(installation)] : []),
      ];
      print(
        command,
        findings,
        findings.map(({ check, ok, detail }) => `${ok ? 'ok   ' : 'WRONG'}  ${check.padEnd(14)} ${detail}`),
      );
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    }),
  );

async function programs(): Promise<Finding> {
  const git = await assertGitPresent(process.env);
  return { check: 'programs', ok: true, detail: `Node ${process.versions.node}, git ${git}` };
}

async function database({ db }: Beside): Promise<Finding> {
  const { rows } = await sql<{ version: string; size: number; durable: string }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size,
      current_setting('fsync') as durable`.execute(db);
  const { version, size, durable } = rows[0] ?? { version: 'unknown', size: 0, durable: 'off' };
  const ok = durable === 'on';
  return {
    check: 'database',
    ok,
    detail: `PostgreSQL ${version}, ${mebi(size)}${ok ? '' : '; fsync is off: a crash loses data'}`,
  };
}

const leastFree = 1024 ** 3;

async function disk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  return { check: 'disk', ok: free > leastFree, detail: `${mebi(free)} free in ${folder}` };
}

/** Every repository has its folder, and no folder is without its repository. */
async function folders({ db, hearth }: Beside): Promise<Finding> {
  const { git } = hearth.services;
  const rows = await db.selectFrom('repositories').select('id').execute();
  const known = new Set<number>(rows.map(({ id }) => id));
  const missing: number[] = [];
  for (const id of known) if (!(await repositoryExists(repoOf(git, id)))) missing.push(id);
  const extra: number[] = [];
  for (const shard of (await readdir(git.root)).filter((name) => /^\d+$/.test(name))) {
    for (const name of await readdir(join(git.root, shard))) {
      const id = Number.parseInt(name, 10);
      if (!known.has(id)) extra.push(id);
    }
  }
  const detail = [counted(known.size, 'repository', 'repositories')];
  if (missing.length > 0) detail.push(`no folder: ${missing.join(', ')}`);
  // Left by a deletion that is under way, or a creation that was interrupted. Harmless, since ids are never used twice.
  if (extra.length > 0) detail.push(`folders without a repository: ${extra.join(', ')}`);
  return { check: 'repositories', ok: missing.length === 0, detail: detail.join('; ') };
}

async function jobs({ db }: Beside): Promise<Finding> {
  const { rows } = await sql<{ waiting: number; failed: number; oldest: Date | null }>`
    select count(*) filter (where attempts < max_attempts) as waiting,
      count(*) filter (where attempts >= max_attempts and locked_at is null) as failed,
      min(run_at) filter (where attempts < max_attempts and run_at < now()) as oldest from jobs.jobs`.execute(db);
  const { waiting, failed, oldest } = rows[0] ?? { waiting: 0, failed: 0, oldest: null };
  const late = oldest ? Math.round((Date.now() - oldest.getTime()) / 1000) : 0;
  const detail = `${waiting} waiting${late > 0 ? `, the oldest for ${late} s` : ''}, ${failed} given up`;
  return { check: 'jobs', ok: failed === 0, detail };
}

async function index({ db }: Beside): Promise<Finding> {
  const { rows } = await sql<{ missing: number; files: number }>`
    select count(*) filter (where c.commit_oid is null and r.pushed_at is not null) as missing, coalesce(sum(c.files), 0)::bigint as files
    from repositories r left join code_indexes c on c.repository_id = r.id`.execute(db);
  const { missing, files } = rows[0] ?? { missing: 0, files: 0 };
  return {
    check: 'search index',
    ok: true,
    detail: `${counted(files, 'file')}${missing > 0 ? `; not indexed yet: ${counted(missing, 'repository', 'repositories')}` : ''}`,
  };
}

async function objects({ db, hearth }: Beside): Promise<Finding> {
  const rows = await db.selectFrom('repositories').select('id').orderBy('id').execute();
  const bar = progressBar();
  const broken: string[] = [];
  for (const [at, { id }] of rows.entries()) {
    bar.show('Reading objects', at, rows.length);
    const [problem] = await checkRepository(repoOf(hearth.services.git, id));
    if (problem) broken.push(`${id}: ${problem}`);
  }
  bar.end();
  return { check: 'objects', ok: broken.length === 0, detail: broken.length === 0 ? 'every object is whole' : broken.join('; ') };
}

const mebi = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;
