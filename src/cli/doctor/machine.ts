import { stat, statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import { assertGitPresent } from '#git/process/version.ts';
import { keyed } from '#lib/collections.ts';
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

/** Checks the free space of the volumes of folders, each volume once. Missing folders are skipped. */
export async function disk(folders: readonly string[]): Promise<Diagnosis> {
  const found = await Promise.all(folders.map((folder) => volumeOf(folder)));
  const volumes = [...keyed(found.flat().toReversed(), ({ device }) => device).values()].toReversed();
  return {
    check: 'disk',
    ok: volumes.every(({ ok }) => ok),
    detail: volumes.map(({ detail }) => detail).join('; '),
  };
}

async function volumeOf(folder: string) {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats) return [];
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const fewFiles = files > 0 && ffree < minFreeFiles;
  return [
    {
      device: stats.dev,
      ok: free > minFreeBytes && !fewFiles,
      detail: `${mebi(free)} free in ${folder}${fewFiles ? `; it has room for ${ffree} files only` : ''}`,
    },
  ];
}

const maxSkewMs = 5_000;
const maxAheadMs = 60_000;

/**
 * Compares the clock with PostgreSQL's clock and with the last written times. A later time there means that the clock was set
 * back.
 */
export async function clock({ db }: Pick<CheckContext, 'db'>, now = () => new Date()): Promise<Diagnosis> {
  const before = now().getTime();
  const { rows } = await sql<{ now: Date; newest: Date | null }>`
    select clock_timestamp() as now, (select created_at from events order by id desc limit 1) as newest`.execute(db);
  const own = (before + now().getTime()) / 2;
  const { now: theirs = new Date(own), newest = null } = rows[0] ?? {};
  const skew = Math.round(own - theirs.getTime());
  const problems = [
    ...(Math.abs(skew) > maxSkewMs ? [`${seconds(skew)} ${skew > 0 ? 'ahead of' : 'behind'} the clock of PostgreSQL`] : []),
    ...(newest && newest.getTime() > own + maxAheadMs
      ? [`the newest event is of ${newest.toISOString()}: was the clock set back?`]
      : []),
  ];
  const ok = problems.length === 0;
  return { check: 'clock', ok, detail: ok ? new Date(own).toISOString() : problems.join('; ') };
}

const seconds = (milliseconds: number): string => `${Math.round(Math.abs(milliseconds) / 1_000)} s`;
