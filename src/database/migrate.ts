import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { keyed } from '#lib/collections.ts';
import { release } from '#lib/release.ts';
import { StartupError } from '#lib/startup-error.ts';
import { isEmpty, readBaseline } from './baseline.ts';
import { type Address, clientConfig } from './connect.ts';

/** The schema of the job queue's tables. */
export const jobsSchema = 'jobs';

const defaultFolder = join(import.meta.dirname, 'migrations');
/** The key of an advisory lock, the same in all processes. */
const lockKey = 4_827_301;
/** PostgreSQL's code of a missing privilege. */
const forbidden = '42501';

type Migration = { version: number; name: string; text: string; checksum: string };

/** The `application_name` of commands, which differs from those of servers and workers. */
export const commandName = 'hearth command';

type MigrateOptions = {
  folder?: string;
  /** Refuses to migrate while a server or worker of an older version uses the database. */
  alone?: boolean;
  /** Whether an empty database gets all tables from the baseline. `off` applies each migration, as an upgrade does. */
  baseline?: 'on' | 'off';
  /** Called after each applied file, and after the baseline. */
  onApplied?: (migration: { name: string; ms: number }) => unknown;
};

/**
 * Migrates the database to this program's version. An empty one gets the tables of the baseline first. Each file and the row that
 * records it are applied in one transaction, so a crash leaves no partial migration. An advisory lock allows concurrent starts.
 * @returns the names of the files that were applied
 * @throws StartupError
 */
export async function migrate(
  address: Address,
  { folder = defaultFolder, alone = false, baseline = 'on', onApplied = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  try {
    return await applyAll(client, address, { migrations, alone, baseline, onApplied });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === forbidden)
      throw new StartupError(
        `The role ${client.user} may not make tables and schemas in the database ${client.database} ` +
          `(${error.message}): make it the owner`,
      );
    throw error;
  } finally {
    await client.end();
  }
}

type MigrationRun = { migrations: Migration[] } & Required<Omit<MigrateOptions, 'folder'>>;

async function applyAll(
  client: pg.Client,
  address: Address,
  { migrations, alone, baseline, onApplied }: MigrationRun,
): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [lockKey]);
  const fromBaseline = baseline === 'on' ? await applyBaseline(client, { migrations, onApplied }) : [];
  await client.query(`create table if not exists schema_migrations
      (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
  const { rows: applied } = await client.query<Applied>(
    'select * from schema_migrations order by version', // a migration adds `applied_by`
  );
  checkApplied(applied, migrations);
  const appliedVersions = new Set(applied.map((row) => row.version));
  const pending = migrations.filter((migration) => !appliedVersions.has(migration.version));
  if (alone && pending.length > 0 && (await isUsedByServer(client)))
    throw new StartupError(
      'The database must be brought up to date, but a server of an older Hearth uses it: restart that first',
    );
  for (const migration of pending) {
    const since = performance.now();
    await apply(client, migration);
    onApplied({ name: migration.name, ms: Math.round(performance.now() - since) });
  }
  await noteRelease(client, [...fromBaseline, ...pending]);
  await migrateJobs(address);
  return [...fromBaseline, ...pending].map((migration) => migration.name);
}

/** @throws DatabaseError `forbidden` if the role may not create tables */
async function checkMayCreate(client: pg.Client): Promise<void> {
  await client.query('begin; create table schema_migrations (); rollback');
}

/** Creates the tables of the baseline in an empty database. @returns the migrations that it replaces */
async function applyBaseline(
  client: pg.Client,
  { migrations, onApplied }: Pick<MigrationRun, 'migrations' | 'onApplied'>,
): Promise<Migration[]> {
  const baseline = (await isEmpty(client)) ? await readBaseline(migrations) : undefined;
  if (!baseline) return [];
  await checkMayCreate(client);
  const since = performance.now();
  await inTransaction(client, 'The baseline of the database', () => client.query(baseline.text));
  onApplied({ name: 'baseline', ms: Math.round(performance.now() - since) });
  return baseline.migrations;
}

async function isUsedByServer(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity
    where datname = current_database() and application_name like 'hearth%' and application_name <> $1
      and pid <> pg_backend_pid()`,
    [commandName],
  );
  return rowCount !== 0;
}

async function migrateJobs(address: Address): Promise<void> {
  const pool = new pg.Pool({ ...clientConfig(address), max: 2 });
  pool.on('error', () => undefined); // a broken connection is reported by its next query
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool, schema: jobsSchema });
  } finally {
    await pool.end();
  }
}

async function noteRelease(client: pg.Client, applied: readonly Migration[]): Promise<void> {
  if (applied.length === 0) return;
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'applied_by'`,
  );
  if (rowCount === 0) return; // the folder of migrations doesn't have it yet
  await client.query('update schema_migrations set applied_by = $1 where version = any ($2)', [
    release,
    applied.map(({ version }) => version),
  ]);
}

const apply = (client: pg.Client, { version, name, text, checksum }: Migration): Promise<void> =>
  inTransaction(client, `Migration ${name}`, async () => {
    await client.query(text);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [version, name, checksum]);
  });

/** @throws StartupError that begins with `name` */
async function inTransaction(client: pg.Client, name: string, work: () => Promise<unknown>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new StartupError(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A migration of the database, and the release that applied it, since 0.2.0. */
type Applied = { version: number; name: string; checksum: string; applied_by?: string | null };

function checkApplied(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const byVersion = keyed(migrations, ({ version }) => version);
  const unknown = applied.filter(({ version }) => !byVersion.has(version));
  const last = unknown.at(-1);
  if (last) {
    const names = unknown.length === 1 ? last.name : `${unknown[0]?.name} to ${last.name}, ${unknown.length} migrations`;
    const newer = !last.applied_by ? 'a newer Hearth' : `Hearth ${last.applied_by}`;
    throw new StartupError(
      `The database was written by ${newer} (it holds ${names}), and this is Hearth ${release}; start that one or ` +
        'restore a backup',
    );
  }
  for (const row of applied) {
    const known = byVersion.get(row.version);
    if (known && known.checksum !== row.checksum)
      throw new StartupError(`Migration ${row.name} was changed after it had been applied to this database`);
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return {
        version: Number(file.slice(0, 4)),
        name: file.slice(0, -4),
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      };
    }),
  );
}
