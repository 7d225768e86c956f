import { parseCronItems, type Runner, run, runOnce, type TaskList, Logger as WorkerLogger } from 'graphile-worker';
import type { Logger } from 'pino';
import { change, type Database } from '#database/connect.ts';
import { jobsSchema } from '#database/migrate.ts';
import type { Job } from './job.ts';

export type WorkerParts<Services> = {
  database: Database;
  jobs: readonly Job<never, Services>[];
  services: Services;
  log: Logger;
  clock: () => Date;
  concurrency?: number;
};

/** Works until stopped; what runs at the stop is finished first. Does by the clock what is scheduled. */
export async function startWorker<Services>(parts: WorkerParts<Services>): Promise<Runner> {
  const runner = await run({
    ...options(parts),
    concurrency: parts.concurrency ?? 4,
    pollInterval: 1_000,
    noHandleSignals: true,
    parsedCronItems: scheduled(parts.jobs),
  });
  for (const { name, attempts, schedule } of parts.jobs)
    if (schedule?.atStart) await runner.addJob(name, {}, { jobKey: name, maxAttempts: attempts });
  return runner;
}

/** One waiting job of each kind is enough, however long no worker came to it. */
function scheduled<Services>(jobs: readonly Job<never, Services>[]): ReturnType<typeof parseCronItems> {
  return parseCronItems(
    jobs.flatMap(({ name, attempts, schedule }) =>
      schedule ? [{ task: name, match: schedule.cron, options: { jobKey: name, maxAttempts: attempts } }] : [],
    ),
  );
}

/** Works until no job is due, then returns. */
export const runDueJobs = <Services>(parts: WorkerParts<Services>): Promise<void> => runOnce(options(parts));

function options<Services>(parts: WorkerParts<Services>) {
  const { database, jobs, services, log, clock } = parts;
  const context = {
    db: database.db,
    change: <T>(work: Parameters<typeof change<T>>[1]) => change(database.db, work),
    services,
    log,
  };
  const taskList: TaskList = Object.fromEntries(
    jobs.map((declared) => [
      declared.name,
      // Payloads were written by `enqueue` with the job's own type.
      (payload: unknown) => declared.run(payload as never, { ...context, now: clock() }),
    ]),
  );
  return { pgPool: database.pool, schema: jobsSchema, taskList, logger: workerLogger(log) };
}

/** The queue's own messages, in the log of the process; its chatter stays at debug. */
const workerLogger = (log: Logger): WorkerLogger =>
  new WorkerLogger(() => (level, message, meta) => {
    if (level === 'error' || level === 'warning')
      log[level === 'error' ? 'error' : 'warn']({ detail: meta?.error ?? meta }, message);
    else log.debug(message);
  });
