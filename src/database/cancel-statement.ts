import pg from 'pg';

/** Fields of a pg connection that its types lack. */
type Connected = { host: string; port: number; processID: number | null; secretKey: number | Buffer | null };
type Connection = {
  on(event: 'connect' | 'error', listener: () => void): void;
  connect(port: number | string, host?: string): void;
  cancel(processId: number, secretKey: number | Buffer): void;
};

/**
 * Asks PostgreSQL to cancel the running statement of a connection, which then fails. The request needs a separate connection. It
 * is unknown whether it arrives.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as Connected;
  if (processID === null || secretKey === null) return;
  const { connection } = new pg.Client({ host, port }) as unknown as { connection: Connection };
  connection.on('error', () => undefined);
  connection.on('connect', () => connection.cancel(processID, secretKey));
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
}
