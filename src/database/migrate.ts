import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { StartupError } from '#lib/startup-error.ts';
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
};

/**
 * Migrates the database to this program's version. Each file and the row that records it are applied in one transaction, so that a
 * crash leaves no partial migration. An advisory lock allows concurrent starts.
 * @returns the names of the files that were applied
 * @throws StartupError
 */
export async function migrate(
  address: Address,
  { folder = defaultFolder, alone = false }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  try {
    return await applyAll(client, address, { migrations, alone });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === forbidden)
      throw new StartupError(
        `The role ${client.user} may not make tables and schemas in the database ${client.database} (${error.message}): make it the owner`,
      );
    throw error;
  } finally {
    await client.end();
  }
}

type MigrationRun = { migrations: Migration[]; alone: boolean };

async function applyAll(client: pg.Client, address: Address, { migrations, alone }: MigrationRun): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [lockKey]);
  await client.query(`create table if not exists schema_migrations
      (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
  const { rows: applied } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  checkApplied(applied, migrations);
  const appliedVersions = new Set(applied.map((row) => row.version));
  const pending = migrations.filter((migration) => !appliedVersions.has(migration.version));
  if (alone && pending.length > 0 && (await isUsedByServer(client)))
    throw new StartupError(
      'The database must be brought up to date, but a server of an older Hearth uses it: restart that first',
    );
  for (const migration of pending) await apply(client, migration);
  await migrateJobs(address);
  return pending.map((migration) => migration.name);
}

async function isUsedByServer(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity
    where datname = current_database() and application_name like 'hearth%' and application_name <> $1 and pid <> pg_backend_pid()`,
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

async function apply(client: pg.Client, { version, name, text, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [version, name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new StartupError(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkApplied(applied: { version: number; name: string; checksum: string }[], migrations: Migration[]): void {
  for (const row of applied) {
    const known = migrations.find((migration) => migration.version === row.version);
    if (!known)
      throw new StartupError(
        `The database was written by a newer Hearth (it holds ${row.name}); start that version or restore a backup`,
      );
    if (known.checksum !== row.checksum)
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
