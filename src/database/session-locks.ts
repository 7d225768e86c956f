import pg from 'pg';

/** A lock that one process holds. Nobody else gets it until it is released, or the process ends in any way. */
export type SessionLock = {
  /** False after the connection, and the lock with it, was lost. */
  readonly isHeld: boolean;
  release(): Promise<void>;
};

/** Named locks of a process on a separate connection, which is opened for the first lock. */
export type SessionLocks = {
  /** Takes a lock without waiting; undefined if anybody holds it, including this process. */
  tryTake(name: string): Promise<SessionLock | undefined>;
  close(): Promise<void>;
};

/** The first key of these advisory locks. No other lock of two keys begins with it. */
const lockClass = 7_261_004;

/** @param name the `application_name` of the connection */
export function openSessionLocks(config: pg.ClientConfig, name: string): SessionLocks {
  const taken = new Set<string>();
  let connection: Promise<pg.Client> | undefined;
  // All statements run one after the other on one connection.
  let last: Promise<unknown> = Promise.resolve();

  const drop = (dropped: Promise<pg.Client>): void => {
    if (connection !== dropped) return;
    connection = undefined;
    void dropped.then((client) => client.end()).catch(() => undefined); // the connection may already have ended
  };
  const open = (): Promise<pg.Client> => {
    if (connection) return connection;
    const client = new pg.Client({ ...config, application_name: name });
    const opened = client.connect().then(() => client);
    client.on('error', () => drop(opened));
    client.once('end', () => drop(opened));
    connection = opened;
    return opened;
  };
  const call = async (on: Promise<pg.Client>, routine: string, lock: string): Promise<boolean> => {
    const query = async () => {
      try {
        return await (await on).query<{ done: boolean }>(`select ${routine}($1, hashtext($2)) as done`, [lockClass, lock]);
      } catch (error) {
        drop(on);
        throw error;
      }
    };
    const replied = last.then(query, query);
    last = replied;
    return (await replied).rows[0]?.done ?? false;
  };

  return {
    async tryTake(lock) {
      if (taken.has(lock)) return undefined;
      taken.add(lock);
      const on = open();
      const isTaken = await call(on, 'pg_try_advisory_lock', lock).catch((error) => {
        taken.delete(lock);
        throw error;
      });
      if (!isTaken) {
        taken.delete(lock);
        return undefined;
      }
      return {
        get isHeld() {
          return connection === on;
        },
        async release() {
          // The lock ends with its connection.
          if (connection === on) await call(on, 'pg_advisory_unlock', lock).catch(() => undefined);
          taken.delete(lock);
        },
      };
    },
    async close() {
      const on = connection;
      connection = undefined;
      await last.catch(() => undefined);
      await (await on?.catch(() => undefined))?.end();
    },
  };
}
