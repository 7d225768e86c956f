import pg from 'pg';
import type { Database } from '#database/connect.ts';

/** Any number will do that no other pair of advisory locks begins with. */
const lockClass = 7_261_003;
const callEveryMs = 60_000;

/**
 * Knows which workers are alive, and frees the jobs of dead ones: at each start, and every minute. (The queue itself would wait
 * four hours.) Each worker holds an advisory lock under its name, which ends with its process, however that dies.
 */
export type Roll = { enter(worker: string): void; leave(): Promise<void> };

export async function openRoll(database: Database): Promise<Roll> {
  const client = new pg.Client({ ...database.clientConfig, application_name: 'hearth workers' });
  client.on('error', () => undefined); // without the connection the locks are gone: others take over what is left here
  await client.connect();
  const own = new Set<string>();
  // One connection answers one question at a time.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(work, work);
    return last;
  };
  const call = async (): Promise<void> => {
    const { rows } = await client.query<{ worker: string }>(
      'select distinct locked_by as worker from jobs._private_jobs where locked_by is not null',
    );
    const others = rows.map(({ worker }) => worker).filter((worker) => !own.has(worker));
    const dead: string[] = [];
    for (const worker of others) {
      const { rows: taken } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as free', [
        lockClass,
        worker,
      ]);
      if (!taken[0]?.free) continue;
      dead.push(worker);
      await client.query('select pg_advisory_unlock($1, hashtext($2))', [lockClass, worker]);
    }
    if (dead.length > 0) await client.query('select jobs.force_unlock_workers($1)', [dead]);
  };
  await inTurn(call);
  // If a call fails, the next one does its work.
  const timer = setInterval(() => void inTurn(call).catch(() => undefined), callEveryMs);
  timer.unref();
  return {
    enter(worker) {
      own.add(worker);
      const take = () => client.query('select pg_advisory_lock($1, hashtext($2))', [lockClass, worker]);
      void inTurn(take).catch(() => undefined);
    },
    async leave() {
      clearInterval(timer);
      await inTurn(() => client.end());
    },
  };
}
