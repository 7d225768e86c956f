import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** The queue's part of a job's context. The server adds its services. */
export type QueueContext = {
  db: Db;
  now: Date;
  log: Logger;
  /**
   * Aborted when the worker stops. A loop checks it before its next step (`repeat.ts`), and completed steps remain. Some time
   * later, statements and Git processes of jobs are refused (`stopping.ts`).
   */
  stopping?: AbortSignal;
  /** For jobs: whether this is the last attempt, so that the job must report unfinished work now. */
  isLastAttempt?: boolean;
};

/** Five fields of a crontab (minute, hour, day, month, weekday), in UTC. `atStart`: also whenever a worker starts. */
type Schedule = { readonly cron: string; readonly atStart?: true };

/**
 * Background work. The payload holds ids, never rows. A job may run twice: it reads the current state, and does nothing if
 * nothing is left to do.
 */
export type Job<Payload extends object = object, Context = QueueContext> = {
  readonly name: string;
  /** The maximum number of attempts. The pauses between them grow. */
  readonly attempts: number;
  /** Runs it at these times with an empty payload, on one of all workers. */
  readonly schedule?: Schedule;
  run(payload: Payload, context: Context): Promise<void>;
};

export const job = <Payload extends object, Context = QueueContext>(declared: Job<Payload, Context>): Job<Payload, Context> =>
  declared;

export type EnqueueOptions = {
  /** Jobs of one queue run one after the other. */
  queue?: string;
  /** Replaces a waiting job with the same key. */
  key?: string;
  runAt?: Date;
  /** Due jobs with smaller numbers run first; 0 if omitted. */
  priority?: number;
  /**
   * The account whose work it is. Each of its waiting jobs of this type has a lower priority than the one before it, so that many
   * jobs of one account don't delay other accounts. Omitted: all jobs of the type run in the order in which they were added.
   */
  share?: Id<'accounts'>;
};

type JobType<Payload extends object> = Pick<Job<Payload>, 'name' | 'attempts'>;

/** Adds a job in the caller's transaction. */
export const enqueue = <Payload extends object>(
  tx: Tx,
  type: JobType<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> => enqueueAll(tx, type, [{ payload, options }]);

/** Removes the waiting job with this key, if there is one, in the caller's transaction. */
export const removeJob = async (tx: Tx, key: string): Promise<void> => {
  await sql`select jobs.remove_job(${key})`.execute(tx);
};

/** Adds many jobs of one type, in one statement. */
export async function enqueueAll<Payload extends object>(
  tx: Tx,
  type: JobType<Payload>,
  entries: readonly { payload: Payload; options?: EnqueueOptions }[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ payload, options: { share, ...options } = {} }) => ({
    payload: share === undefined ? payload : { ...payload, share },
    ...options,
  }));
  const hasShares = entries.some(({ options }) => options?.share !== undefined);
  const priority = hasShares ? sql`coalesce(${afterOwn(type.name)}, priority, 0)` : sql`coalesce(priority, 0)`;
  await sql`
    select jobs.add_job(${type.name}, payload, queue_name => queue, job_key => key, run_at => "runAt",
      max_attempts => ${type.attempts},
      priority => ${priority})
    from json_to_recordset(${JSON.stringify(rows)}::json) as j(payload json, queue text, key text, "runAt" timestamptz,
      priority integer)`.execute(tx);
}

/** The last priority of jobs in shares. From there on, jobs of an account run in their order. */
const lastPriority = 1_000;

/** The priority after all waiting jobs of a type of the account of the job `j`; null if there are none. */
const afterOwn = (name: string) => sql<number | null>`(
  select case when count(*) > 0 then least(max(w.priority) + 1, ${sql.raw(String(lastPriority))})::integer end
  from jobs._private_jobs w join jobs._private_tasks t on t.id = w.task_id
  where t.identifier = ${name} and w.payload ->> 'share' = j.payload ->> 'share'
    and w.locked_at is null and w.attempts < w.max_attempts and (j.key is null or w.key is distinct from j.key))`;
