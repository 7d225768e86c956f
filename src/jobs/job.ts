import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db, Tx } from '#database/connect.ts';

/** What a job works with. A job may run twice: it reads the present state, and does nothing if there is nothing left to do. */
export type JobContext<Services = unknown> = {
  db: Db;
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  services: Services;
  now: Date;
  log: Logger;
};

/** Five fields of a crontab (minute, hour, day, month, weekday), in UTC; `atStart`: also whenever a worker starts. */
export type Schedule = { readonly cron: string; readonly atStart?: true };

/** Work that a request doesn't wait for. The payload holds ids, never rows. */
export type Job<Payload extends object = object, Services = never> = {
  readonly name: string;
  /** The number of tries, with growing pauses between them, after which it is given up. */
  readonly attempts: number;
  /** When it runs by the clock, with an empty payload. One of all workers runs it. */
  readonly schedule?: Schedule;
  run(payload: Payload, context: JobContext<Services>): Promise<void>;
};

export const job = <Payload extends object, Services = never>(declared: Job<Payload, Services>): Job<Payload, Services> =>
  declared;

export type EnqueueOptions = {
  /** Jobs of one queue run one after the other. */
  queue?: string;
  /** A waiting job with the same key is replaced. */
  key?: string;
  runAt?: Date;
  /** Of jobs that are due, those with the smallest number come first; 0 where it is missing. */
  priority?: number;
};

type Wanted<Payload extends object> = Pick<Job<Payload>, 'name' | 'attempts'>;

/** Adds a job in the transaction that makes it necessary. */
export const enqueue = <Payload extends object>(
  tx: Tx,
  wanted: Wanted<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> => enqueueAll(tx, wanted, [{ payload, options }]);

/** Adds many jobs of one kind, in one statement. */
export async function enqueueAll<Payload extends object>(
  tx: Tx,
  wanted: Wanted<Payload>,
  pieces: readonly { payload: Payload; options?: EnqueueOptions }[],
): Promise<void> {
  if (pieces.length === 0) return;
  const rows = pieces.map(({ payload, options }) => ({ payload, ...options }));
  await sql`
    select jobs.add_job(${wanted.name}, payload, queue_name => queue, job_key => key, run_at => "runAt", max_attempts => ${wanted.attempts},
      priority => coalesce(priority, 0))
    from json_to_recordset(${JSON.stringify(rows)}::json) as j(payload json, queue text, key text, "runAt" timestamptz, priority integer)`.execute(
    tx,
  );
}
