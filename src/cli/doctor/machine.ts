import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import { assertGitPresent } from '#git/process/version.ts';
import { type CheckContext, type Diagnosis, mebi } from './diagnosis.ts';

export async function programs(): Promise<Diagnosis> {
  const git = await assertGitPresent(process.env);
  return { check: 'programs', ok: true, detail: `Node ${process.versions.node}, git ${git}` };
}

export async function database({ db }: CheckContext): Promise<Diagnosis> {
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

const minFreeBytes = 1024 ** 3;
/** Loose Git objects are files, whose number the file system may limit. */
const minFreeFiles = 10_000;

export async function disk(folder: string): Promise<Diagnosis> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const fewFiles = files > 0 && ffree < minFreeFiles;
  return {
    check: 'disk',
    ok: free > minFreeBytes && !fewFiles,
    detail: `${mebi(free)} free in ${folder}${fewFiles ? `; it has room for ${ffree} files only` : ''}`,
  };
}
