import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '#lib/startup-error.ts';
import { type Address, clientConfig } from './connect.ts';

/**
 * Knows whether other processes use an embedded PostgreSQL, by advisory locks. A lock ends with its process, however that dies,
 * which a file with a pid can't promise.
 */
export type Presence = {
  /** Resolves when the PostgreSQL went away, unless this process left it. */
  readonly lost: Promise<void>;
  /** Ends this process's use. True if there is no other one, so that PostgreSQL can be stopped. */
  leave(): Promise<boolean>;
};

const presentLock = 7_261_001;
const serverLock = 7_261_002;
/** PostgreSQL may notice the end of a killed server a moment late, so its lock is waited for. */
const serverPatienceMs = 3_000;

/** Registers this process as the folder's only server, or as a command beside it. */
export async function becomePresent(address: Address, role: 'server' | 'command'): Promise<Presence> {
  const client = new pg.Client({ ...clientConfig(address), application_name: `hearth ${role}` });
  client.on('error', () => undefined); // the PostgreSQL went away, and with it what the locks were for
  await client.connect();
  let left = false;
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
  client.once('end', () => left || lose());
  const asks = async (statement: string, key: number): Promise<boolean> => {
    const { rows } = await client.query<{ got: boolean }>(`select ${statement}($1) as got`, [key]);
    return rows[0]?.got === true;
  };
  await client.query('select pg_advisory_lock_shared($1)', [presentLock]);
  const deadline = Date.now() + serverPatienceMs;
  while (role === 'server' && !(await asks('pg_try_advisory_lock', serverLock))) {
    if (Date.now() < deadline) {
      await sleep(50);
      continue;
    }
    left = true;
    await client.end();
    throw new StartupError('Another Hearth runs on this data folder: stop it, or choose another folder by --data');
  }
  return {
    lost,
    async leave() {
      left = true;
      try {
        await client.query('select pg_advisory_unlock_shared($1)', [presentLock]);
        return await asks('pg_try_advisory_lock', presentLock);
      } catch {
        return false; // somebody stopped the PostgreSQL already
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  };
}
