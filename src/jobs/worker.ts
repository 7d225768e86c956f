import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseCronItems, run, runOnce, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker';
import type { Logger } from 'pino';
import { change, type Database } from '#database/connect.ts';
import { jobsSchema } from '#database/migrate.ts';
import type { Job } from './job.ts';
import type { Pump } from './pump.ts';
import { openRoll } from './roll.ts';

export type WorkerParts<Services> = {
  database: Database;
  jobs: readonly Job<never, Services>[];
  pumps?: readonly Pump<Services>[];
  services: Services;
  log: Logger;
  clock: () => Date;
  concurrency?: number;
};

const pauseMs = 5;

export type Worker = { stop(): Promise<void> };

/** Runs jobs, scheduled ones and pumps until stopped. Stopping finishes what is under way. */
export async function startWorker<Services>(parts: WorkerParts<Services>): Promise<Worker> {
  const roll = await openRoll(parts.database);
  const events: WorkerEvents = new EventEmitter();
  // The queue marks the jobs that it takes by the name of the pool, not by those of the workers in it.
  events.on('pool:create', ({ workerPool }) => roll.enter(workerPool.id));
  const runner = await run({
    ...options(parts),
    concurrency: parts.concurrency ?? 4,
    pollInterval: 1_000,
    noHandleSignals: true,
    events,
    parsedCronItems: scheduled(parts.jobs),
  });
  for (const { name, attempts, schedule } of parts.jobs)
    if (schedule?.atStart) await runner.addJob(name, {}, { jobKey: name, maxAttempts: attempts });
  const stopping = new AbortController();
  const pumping = (parts.pumps ?? []).map((pump) => pump.run(pumpContext(parts), stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all([runner.stop(), ...pumping]);
      await roll.leave();
    },
  };
}

const pumpContext = <Services>({ database, services, log, clock }: WorkerParts<Services>) => ({
  db: database.db,
  services,
  log,
  clock,
});

/** The schedule for the queue. The job key keeps one waiting job of each kind, even when no worker runs for long. */
function scheduled<Services>(jobs: readonly Job<never, Services>[]): ReturnType<typeof parseCronItems> {
  return parseCronItems(
    jobs.flatMap(({ name, attempts, schedule }) =>
      schedule ? [{ task: name, match: schedule.cron, options: { jobKey: name, maxAttempts: attempts } }] : [],
    ),
  );
}

/** Runs jobs and pumps until nothing is due, then returns. */
export async function runDueJobs<Services>(parts: WorkerParts<Services>): Promise<void> {
  const events: WorkerEvents = new EventEmitter();
  const pools: string[] = [];
  events.on('pool:create', ({ workerPool }) => pools.push(workerPool.id));
  let moved: number;
  do {
    await runOnce({ ...options(parts), events });
    const counts = await Promise.all((parts.pumps ?? []).map((pump) => pump.drain(pumpContext(parts))));
    moved = counts.reduce((sum, count) => sum + count, 0);
  } while (moved > 0 || (await isUnfinished(parts, pools)));
}

/**
 * Whether jobs are left after `runOnce`. It may return before its last jobs are removed from the table, and so skip a job that
 * waits behind one of them in its queue.
 */
async function isUnfinished<Services>({ database, jobs }: WorkerParts<Services>, pools: readonly string[]): Promise<boolean> {
  const names = jobs.map(({ name }) => name);
  const { rows } = await database.pool.query<{ unfinished: boolean }>(
    `select exists(select from jobs._private_jobs j join jobs._private_tasks t on t.id = j.task_id
      where locked_by = any($1) or (is_available and run_at <= now() and t.identifier = any($2))) as unfinished`,
    [pools, names],
  );
  const unfinished = rows[0]?.unfinished ?? false;
  if (unfinished) await sleep(pauseMs);
  return unfinished;
}

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

/** Writes the queue's own messages to the log of the process, the routine ones at level debug. */
const workerLogger = (log: Logger): WorkerLogger =>
  new WorkerLogger(() => (level, message, meta) => {
    if (level === 'error' || level === 'warning')
      log[level === 'error' ? 'error' : 'warn']({ detail: meta?.error ?? meta }, message);
    else log.debug(message);
  });
