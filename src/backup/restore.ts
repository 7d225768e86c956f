import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { type Address, clientConfig } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import { readBundle } from '#git/transport/bundle.ts';
import { release, releaseName } from '#lib/release.ts';
import { StartupError } from '#lib/startup-error.ts';
import type { ObjectStore } from '#objects/store.ts';
import { copyHostKeys, hostKeyFolder } from './host-keys.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { listMigrations, quoted } from './tables.ts';

type RestoreParts = {
  address: Address;
  git: GitStore;
  objects: ObjectStore;
  /** The folder for the server's SSH host keys. */
  hostKeys: string;
  folder: string;
  onProgress: (phase: string, done: number, total: number) => void;
};

/**
 * Restores a backup into an empty installation: first the repositories and files, then all rows in one transaction. After an
 * interruption, the installation still has no accounts, so the restore can be repeated. @throws StartupError if the backup or the
 * installation doesn't fit
 */
export async function restoreBackup({ address, git, objects, hostKeys, folder, onProgress }: RestoreParts): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  try {
    await checkTarget(client, manifest);
    for (const [at, { id, default_branch, empty }] of manifest.repositories.entries()) {
      const file = empty ? undefined : join(folder, 'repositories', `${id}.bundle`);
      await readBundle(git, id, { file, defaultBranch: default_branch });
      onProgress('Repositories', at + 1, manifest.repositories.length);
    }
    for (const [at, file] of (manifest.objects ?? []).entries()) {
      if (manifest.objects_elsewhere) await demandObject(objects, file.key);
      else await restoreObject(objects, file, folder);
      onProgress('Files', at + 1, manifest.objects?.length ?? 0);
    }
    await copyHostKeys(join(folder, hostKeyFolder), hostKeys);
    await client.query('begin');
    // Migrations insert some rows (the predefined roles) that the backup contains too.
    await client.query(`truncate ${manifest.tables.map(({ name }) => quoted(name)).join(', ')}`);
    for (const [at, { name, columns, counters, rows }] of manifest.tables.entries()) {
      const rowsRead = await copyIn(
        client,
        `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`,
        join(folder, 'tables', `${name}.copy`),
      );
      if (rowsRead !== rows)
        throw new StartupError(`The backup is damaged: ${name} should have ${rows} rows and has ${rowsRead}`);
      for (const column of counters) await client.query(setCounter(name, column), [`public.${quoted(name)}`, column]);
      onProgress('Tables', at + 1, manifest.tables.length);
    }
    await restoreJobs(client, join(folder, 'jobs.copy'));
    await client.query('commit');
    return manifest;
  } finally {
    await client.end();
  }
}

/** Stores an object, and replaces an object that an interrupted restore has stored. */
async function restoreObject(
  objects: ObjectStore,
  { key, digest }: { key: string; digest: string },
  folder: string,
): Promise<void> {
  for (const left of [key, `${key}.partial`]) await objects.remove(left);
  const stored = await objects.put(key, async (sink) => {
    for await (const part of createReadStream(join(folder, 'objects', key), { highWaterMark: readSize })) await sink(part);
  });
  if (stored.digest !== digest) throw new StartupError(`The backup is damaged: the file ${key} isn't what was uploaded`);
}

/** A backup without files can be restored only if the store has them. */
async function demandObject(objects: ObjectStore, key: string): Promise<void> {
  const stream = await objects.open(key, { start: 0, end: 0 });
  if (!stream) throw new StartupError(`The backup was made without files, and the store of this installation has no ${key}`);
  stream.destroy();
}

const readSize = 256 * 1024;

async function checkTarget(client: pg.Client, manifest: Manifest): Promise<void> {
  checkMigrations(manifest, await listMigrations(client));
  const { rows } = await client.query('select from accounts limit 1');
  if (rows.length > 0) throw new StartupError('There are accounts here already: a backup is restored into an empty installation');
}

/** @throws StartupError if the tables of the backup differ from this Hearth's. Its message names the migrations that differ. */
function checkMigrations(manifest: Manifest, own: readonly string[]): void {
  const lacking = manifest.migrations.filter((name) => !own.includes(name));
  const further = own.filter((name) => !manifest.migrations.includes(name));
  const differences = [
    ...(lacking.length > 0 ? [`the backup has ${namesOf(lacking)}, which this one has not`] : []),
    ...(further.length > 0 ? [`this one has ${namesOf(further)}, which the backup has not`] : []),
  ];
  if (differences.length === 0) return;
  const theirs = releaseName(manifest);
  throw new StartupError(
    `The backup was made by Hearth ${theirs}, and this is ${release}: ${differences.join('; ')}. Restore it with ` +
      'that Hearth, then update',
  );
}

/** Migrations as `the migration 0001-a`, or `12 migrations (0001-a to 0012-b)`. */
const namesOf = (names: readonly string[]): string =>
  names.length === 1 ? `the migration ${names[0]}` : `${names.length} migrations (${names[0]} to ${names.at(-1)})`;

/** Moves the sequence of a column above all of its values. If two tables share a sequence, it ends above the values of both. */
const setCounter = (table: string, column: string): string => `
  with drawn as (
    select coalesce(pg_get_serial_sequence($1, $2)::regclass, (
      select s.refobjid::regclass from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        join pg_depend s on s.classid = 'pg_attrdef'::regclass and s.objid = d.oid
        join pg_class c on c.oid = s.refobjid and c.relkind = 'S'
      where d.adrelid = $1::regclass and a.attname = $2)) as name)
  select setval(name, greatest(coalesce((select max(${quoted(column)}) from ${quoted(table)}), 0) + 1, nextval(name)), false)
  from drawn`;

/** Adds the waiting jobs with the queue's own function. */
async function restoreJobs(client: pg.Client, file: string): Promise<void> {
  await client.query(`create temporary table restored_jobs
    (identifier text, queue text, payload json, run_at timestamptz, attempts integer, key text) on commit drop`);
  await copyIn(client, 'copy restored_jobs from stdin', file);
  await client.query(`select jobs.add_job(identifier, payload, queue_name => queue, run_at => run_at, max_attempts => attempts,
    job_key => key) from restored_jobs`);
}

async function copyIn(client: pg.Client, statement: string, file: string): Promise<number> {
  const { from } = await import('pg-copy-streams');
  const stream = client.query(from(statement));
  await pipeline(createReadStream(file), stream);
  return stream.rowCount;
}
