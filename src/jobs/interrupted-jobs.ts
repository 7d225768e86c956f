// Handles jobs that were running when their process ended. One of them may have ended it, and would end each new process too. So
// each runs alone the next time. If the process ends twice while a job runs alone, the job is set aside.
import type pg from 'pg';

/** The flag of an interrupted job. The queue returns it with the job, so other jobs need no statement. */
export const interruptedFlag = 'interrupted';

/** A job is set aside if its process ends this often while it runs alone. */
const maxEnds = 2;

const setAside = 'Set aside: the process ended twice while this job ran alone';

/**
 * Marks the jobs of dead workers. If no attempts remain, the job gets one more, later: attempts are for jobs that fail. $1: the
 * workers; $2: the pause before that attempt; $3: the number of ends.
 */
const noteLeft = `
  with gone as (delete from interrupted_jobs i where not exists (select from jobs._private_jobs j where j.id = i.job_id)),
  noted as (
    insert into interrupted_jobs (job_id) select id from jobs._private_jobs where locked_by = any($1)
    on conflict (job_id) do update set ends = interrupted_jobs.ends + interrupted_jobs.is_alone::integer, is_alone = false
    returning job_id, ends
  )
  update jobs._private_jobs j set
    flags = coalesce(flags, '{}') || jsonb_build_object('${interruptedFlag}', true),
    attempts = case when n.ends >= $3 then max_attempts else least(attempts, max_attempts - 1) end,
    run_at = case when attempts >= max_attempts then now() + $2::interval else run_at end,
    last_error = case when n.ends >= $3 then '${setAside}' else 'The process ended while this job ran.' end
  from noted n where n.job_id = j.id`;
const pauseBeforeLastAttempt = '1 minute';

/** A job that ended while its process went on, successful or not, may run beside others again. */
const forget = `
  with forgotten as (delete from interrupted_jobs where job_id = $1)
  update jobs._private_jobs set flags = nullif(flags - '${interruptedFlag}', '{}') where id = $1`;

type Queries = Pick<pg.ClientBase, 'query'>;

export const noteInterruptedJobs = async (client: Queries, deadWorkers: readonly string[]): Promise<void> => {
  await client.query(noteLeft, [deadWorkers, pauseBeforeLastAttempt, maxEnds]);
};

/** Runs the jobs of one process. Interrupted jobs run alone. */
export type JobGate = {
  /**
   * Runs a job, beside others by default.
   * @param isInterrupted whether the job has the flag, so that it runs alone
   * @throws Error if the job is set aside
   */
  run(job: { readonly id: string; readonly isInterrupted: boolean }, work: () => Promise<void>): Promise<void>;
  /** The process is stopping. If it ends now, no job has caused that. */
  stop(): Promise<void>;
};

export function openJobGate(client: Queries): JobGate {
  const running = new Set<Promise<unknown>>();
  /** The last job that runs alone, or waits to do so. */
  let alone: Promise<unknown> = Promise.resolve();
  let aloneJob: string | undefined;

  const runAlone = async (id: string, work: () => Promise<void>): Promise<void> => {
    while (running.size > 0) await Promise.allSettled(running);
    const { rows } = await client.query<{ ends: number }>(
      `insert into interrupted_jobs (job_id, is_alone) values ($1, true)
      on conflict (job_id) do update set is_alone = true returning ends`,
      [id],
    );
    if ((rows[0]?.ends ?? 0) >= maxEnds) throw new Error(setAside);
    aloneJob = id;
    try {
      await work();
    } finally {
      aloneJob = undefined;
      await client.query(forget, [id]);
    }
  };

  return {
    async run({ id, isInterrupted }, work) {
      if (isInterrupted) {
        const own = alone.then(() => runAlone(id, work));
        alone = own.catch(() => undefined);
        return own;
      }
      // Another job may be interrupted during this wait.
      for (let waitedFor: unknown; waitedFor !== alone; ) {
        waitedFor = alone;
        await alone;
      }
      const own = work();
      running.add(own);
      return own.finally(() => running.delete(own));
    },
    async stop() {
      if (aloneJob !== undefined)
        await client.query('update interrupted_jobs set is_alone = false where job_id = $1', [aloneJob]);
    },
  };
}
