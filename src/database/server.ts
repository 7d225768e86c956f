import { sql } from 'kysely';
import { StartupError } from '#lib/startup-error.ts';
import type { Db } from './connect.ts';

const oldestVersion = 15;

/** Connections that a process needs at least, so that background jobs, which hold one, don't stop requests. */
const fewest = 4;
/** Connections outside the pools: those that know which processes live, and those of a `hearth` command. */
const reservedConnections = 8;

/** Refuses a PostgreSQL that Hearth can't work with. Throws a StartupError with one line for the operator. */
export async function checkServer(db: Db): Promise<void> {
  const { rows } = await sql<{ version: number; text: string; encoding: string; schema: string | null }>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as text,
      current_setting('server_encoding') as encoding, current_schema() as schema`.execute(db);
  const [found] = rows;
  if (found && found.version < oldestVersion)
    throw new StartupError(`The database is PostgreSQL ${found.text}: Hearth needs ${oldestVersion} or newer`);
  if (found && found.encoding !== 'UTF8')
    throw new StartupError(
      `The encoding of the database is ${found.encoding}: make one with UTF8 (create database … encoding 'UTF8' template template0)`,
    );
  if (found && found.schema !== 'public')
    throw new StartupError(
      `Hearth keeps its tables in the schema public, but the role's search_path begins with ${found.schema}`,
    );
}

/**
 * How many connections each of several processes may keep, of those that PostgreSQL allows its role: as many as are wanted, or fewer,
 * so that no request finds all of them taken. Throws a StartupError where even few are too many.
 */
export async function connectionsEach(db: Db, { wanted, processes }: { wanted: number; processes: number }): Promise<number> {
  const allowed = await allowedConnections(db);
  const each = Math.min(wanted, Math.floor((allowed - reservedConnections) / processes));
  if (each < Math.min(wanted, fewest))
    throw new StartupError(
      `PostgreSQL allows ${allowed} connections, and Hearth needs ${processes * fewest + reservedConnections}: raise its max_connections${processes > 1 ? ', or lower --workers' : ''}`,
    );
  return each;
}

/** The least of what the server, the database and the role allow. */
async function allowedConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ allowed: number }>`
    select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as allowed`.execute(db);
  return rows[0]?.allowed ?? 0;
}
