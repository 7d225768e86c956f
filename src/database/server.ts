import { sql } from 'kysely';
import { StartupError } from '#lib/startup-error.ts';
import type { Db } from './connect.ts';

const oldestVersion = 15;

/** The minimum for a process, so that background jobs, which hold a connection, don't block requests. */
const minConnections = 4;
/** Connections outside of the pools: for process registries and for `hearth` commands. */
const reservedConnections = 8;

/** Checks the version, encoding and schema of PostgreSQL. @throws StartupError with one line for the operator */
export async function checkServer(db: Db): Promise<void> {
  const { rows } = await sql<{ version: number; text: string; encoding: string; schema: string | null }>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as text,
      current_setting('server_encoding') as encoding, current_schema() as schema`.execute(db);
  const [server] = rows;
  if (server && server.version < oldestVersion)
    throw new StartupError(`The database is PostgreSQL ${server.text}: Hearth needs ${oldestVersion} or newer`);
  if (server && server.encoding !== 'UTF8')
    throw new StartupError(
      `The encoding of the database is ${server.encoding}: make one with UTF8 (create database … encoding 'UTF8' ` +
        'template template0)',
    );
  if (server && server.schema !== 'public')
    throw new StartupError(
      `Hearth keeps its tables in the schema public, but the role's search_path begins with ${server.schema}`,
    );
}

/** How many connections may be open, and which setting limits them. */
type AllowedConnections = { allowed: number; limit: string; remedy: string };

/**
 * The number of connections for each of several processes: the requested number, or fewer if PostgreSQL's limits don't allow it.
 * `limit` names the smallest limit.
 * @throws StartupError if even the minimum exceeds the limits
 */
export async function connectionsEach(
  db: Db,
  { requested, processes }: { requested: number; processes: number },
): Promise<{ each: number; limit: string }> {
  const { allowed, limit, remedy } = await findAllowedConnections(db);
  const each = Math.min(requested, Math.floor((allowed - reservedConnections) / processes));
  if (each < Math.min(requested, minConnections)) {
    const needed = processes * minConnections + reservedConnections;
    throw new StartupError(
      `${limit} is ${allowed}, and Hearth needs ${needed} connections: ${remedy}${processes > 1 ? ', or lower --workers' : ''}`,
    );
  }
  return { each, limit: `${limit} is ${allowed}` };
}

/** The smallest of the limits of the server, the database and the role. */
async function findAllowedConnections(db: Db): Promise<AllowedConnections> {
  const { rows } = await sql<{ server: number; database: number | null; role: number | null; names: [string, string] }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as database,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as role,
      array[quote_ident(current_database()), quote_ident(current_user)] as names`.execute(db);
  const { server = 0, database = null, role = null, names: [databaseName, roleName] = ['', ''] } = rows[0] ?? {};
  const limits: AllowedConnections[] = [
    {
      allowed: server,
      limit: 'The limit of the PostgreSQL server (max_connections without those that it reserves)',
      remedy: 'raise its max_connections',
    },
  ];
  if (database !== null)
    limits.push({
      allowed: database,
      limit: `The connection limit of the database ${databaseName}`,
      remedy: `raise it (alter database ${databaseName} connection limit …)`,
    });
  if (role !== null)
    limits.push({
      allowed: role,
      limit: `The connection limit of the role ${roleName}`,
      remedy: `raise it (alter role ${roleName} connection limit …)`,
    });
  return limits.reduce((smallest, other) => (other.allowed < smallest.allowed ? other : smallest));
}
