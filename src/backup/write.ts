import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { type Address, clientConfig } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { writeBundle } from '#git/transport/bundle.ts';
import { commit, version } from '#lib/release.ts';
import { StartupError } from '#lib/startup-error.ts';
import type { ObjectStore } from '#objects/store.ts';
import { copyHostKeys, hostKeyFolder } from './host-keys.ts';
import { keptFiles } from './kept-files.ts';
import { type Manifest, manifestFile } from './manifest.ts';
import { listMigrations, listTables, quoted } from './tables.ts';

type BackupParts = {
  address: Address;
  git: GitStore;
  objects: ObjectStore;
  /** Whether to copy the files of releases, artifacts and logs too. Their store may have its own backups. */
  withFiles: boolean;
  /** The folder of the server's SSH host keys, which may be missing. */
  hostKeys: string;
  folder: string;
  now: Date;
  onProgress: (phase: string, done: number, total: number) => void;
};

/**
 * Writes a backup of a running installation into an empty folder: a snapshot of the database, then every repository as a Git
 * bundle, then the files of releases, artifacts and logs if requested, and the server's SSH host keys. A concurrent push may be
 * in its bundle but not in the database, never the reverse. The secret key isn't copied.
 */
export async function writeBackup({
  address,
  git,
  objects,
  withFiles,
  hostKeys,
  folder,
  now,
  onProgress,
}: BackupParts): Promise<Manifest> {
  await prepareFolder(folder);
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    const migrations = await listMigrations(client);
    const allTables = await listTables(client);
    const tables: Manifest['tables'] = [];
    for (const [at, table] of allTables.entries()) {
      const columns = table.columns.map(quoted).join(', ');
      const rows = await copyOut(
        client,
        `copy ${quoted(table.name)} (${columns}) to stdout`,
        join(folder, 'tables', `${table.name}.copy`),
      );
      tables.push({ ...table, rows });
      onProgress('Tables', at + 1, allTables.length);
    }
    await copyOut(client, `copy (${waitingJobs}) to stdout`, join(folder, 'jobs.copy'));
    const { rows } = await client.query<{ id: number; default_branch: string }>(
      'select id, default_branch from repositories order by id',
    );
    const { rows: installations } = await client.query<{ secret_key_fingerprint: string | null }>(
      'select secret_key_fingerprint from installation',
    );
    const { rows: files } = await client.query<{ key: string; digest: string }>(
      `select object_key as key, digest from (${keptFiles}) files order by key`,
    );
    await client.query('commit');
    const repositories: Manifest['repositories'] = [];
    for (const [at, { id, default_branch }] of rows.entries()) {
      const written = await writeBundle(repoOf(git, id), join(folder, 'repositories', `${id}.bundle`));
      repositories.push({ id, default_branch, empty: !written });
      onProgress('Repositories', at + 1, rows.length);
    }
    const kept: { key: string; digest: string }[] = [];
    for (const [at, file] of files.entries()) {
      if (!withFiles || (await copyObject(objects, file.key, folder))) kept.push(file);
      else await demandDeleted(client, file.key);
      onProgress('Files', at + 1, files.length);
    }
    await copyHostKeys(hostKeys, join(folder, hostKeyFolder));
    const manifest: Manifest = {
      format: 1,
      version,
      ...(commit === undefined ? {} : { commit }),
      created_at: now.toISOString(),
      ...fingerprintOf(installations),
      migrations,
      tables,
      repositories,
      objects: kept,
      ...(withFiles ? {} : { objects_elsewhere: true }),
    };
    await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`, { flush: true });
    return manifest;
  } finally {
    await client.end();
  }
}

const fingerprintOf = ([row]: readonly { secret_key_fingerprint: string | null }[]) =>
  row?.secret_key_fingerprint ? { secret_key_fingerprint: row.secret_key_fingerprint } : {};

/** Waiting and running jobs. After a restore, running jobs run again, which every job must support. */
const waitingJobs = `select task.identifier, queue.queue_name, job.payload::text, job.run_at, job.max_attempts, job.key
  from jobs._private_jobs job join jobs._private_tasks task on task.id = job.task_id
  left join jobs._private_job_queues queue on queue.id = job.job_queue_id where job.attempts < job.max_attempts`;

/** Copies an object; false if it was deleted after the snapshot. */
async function copyObject(objects: ObjectStore, key: string, folder: string): Promise<boolean> {
  const stream = await objects.open(key);
  if (!stream) return false;
  const file = join(folder, 'objects', key);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await pipeline(stream, createWriteStream(file, { mode: 0o600, flush: true }));
  return true;
}

/** A file that isn't in the store must have been deleted after the snapshot. @throws StartupError if it wasn't */
async function demandDeleted(client: pg.Client, key: string): Promise<void> {
  const { rows } = await client.query(`select from (${keptFiles}) files where object_key = $1`, [key]);
  if (rows.length > 0) throw new StartupError(`The file ${key} is not in the store: is HEARTH_OBJECTS that of the server?`);
}

async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new StartupError(`${folder} is not empty: a backup is written into an empty folder`);
  for (const name of ['tables', 'repositories', 'objects']) await mkdir(join(folder, name));
}

async function copyOut(client: pg.Client, statement: string, file: string): Promise<number> {
  const { to } = await import('pg-copy-streams');
  const stream = client.query(to(statement));
  await pipeline(stream, createWriteStream(file, { mode: 0o600, flush: true }));
  return stream.rowCount;
}
