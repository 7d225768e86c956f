import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '#lib/startup-error.ts';
import { type Address, clientConfig } from './connect.ts';

/**
 * Detects with advisory locks whether other processes use an embedded PostgreSQL. Unlike a pid file, a lock is released when its
 * process ends in any way.
 */
export type Presence = {
  /** Resolves when the connection to PostgreSQL was lost, unless this process has left. */
  readonly lost: Promise<void>;
  /** Ends this process's use. Returns true if no other process uses PostgreSQL, so that it can be stopped. */
  leave(): Promise<boolean>;
};

const presentLock = 7_261_001;
const serverLock = 7_261_002;
/** PostgreSQL may notice the end of a killed server late, so its lock is awaited. */
const serverLockWaitMs = 3_000;

/** Registers this process as the only server of the data folder, or as a command. @throws StartupError if another server runs */
export async function becomePresent(address: Address, role: 'server' | 'command'): Promise<Presence> {
  const client = new pg.Client({ ...clientConfig(address), application_name: `hearth ${role}` });
  client.on('error', () => undefined); // PostgreSQL has stopped, so no locks are needed
  await client.connect();
  let left = false;
  const { promise: lost, resolve: resolveLost } = Promise.withResolvers<void>();
  client.once('end', () => left || resolveLost());
  const tryLock = async (statement: string, key: number): Promise<boolean> => {
    const { rows } = await client.query<{ got: boolean }>(`select ${statement}($1) as got`, [key]);
    return rows[0]?.got === true;
  };
  await client.query('select pg_advisory_lock_shared($1)', [presentLock]);
  const deadline = Date.now() + serverLockWaitMs;
  while (role === 'server' && !(await tryLock('pg_try_advisory_lock', serverLock))) {
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
        return await tryLock('pg_try_advisory_lock', presentLock);
      } catch {
        return false; // PostgreSQL has already stopped
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  };
}
