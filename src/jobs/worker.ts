import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JobHelpers,
  parseCronItems,
  type Runner,
  run,
  runOnce,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '#database/connect.ts';
import { jobsSchema } from '#database/migrate.ts';
import type { BackgroundLoop, BackgroundLoopContext } from './background-loop.ts';
import { interruptedFlag, type JobGate, openJobGate } from './interrupted-jobs.ts';
import type { Job, QueueContext } from './job.ts';
import { reconnectingPool } from './reconnecting-pool.ts';
import { returnJob, uncountAttempts } from './return-jobs.ts';
import { defaultStopTimes, isJobStopped, JobStopped, openStopping, type Stopping, type StopTimes } from './stopping.ts';
import { openWorkWaits, type WorkWaits } from './work-waits.ts';
import { openWorkerRegistry } from './worker-registry.ts';

export type WorkerOptions<Services, Context> = {
  database: Database;
  jobs: readonly Job<never, Context>[];
  loops?: readonly BackgroundLoop<Services>[];
  services: Services;
  /** Makes the context of a job from the queue's part. */
  contextOf: (given: QueueContext, services: Services) => Context;
  log: Logger;
  clock: () => Date;
  concurrency?: number;
  /** The services of jobs, whose Git processes end when the signal is aborted. Omitted: `services`. */
  servicesUntil?: (signal: AbortSignal) => Services;
  stopTimes?: StopTimes;
};

/** The number of jobs that run concurrently. */
export const defaultConcurrency = 4;
const pauseMs = 5;
const restartPauseMs = 1_000;
/** The queue is notified of new jobs. This interval finds postponed jobs, and jobs without a notification. */
const pollMs = 8_000;

type Worker = { stop(): Promise<void> };

/**
 * Runs jobs, scheduled jobs and background loops until stopped. Stopping lets running ones end, interrupts them after a while,
 * and finally leaves them. Interrupted and abandoned jobs run again later. After a lost connection to PostgreSQL, it reconnects
 * and continues.
 */
export async function startWorker<Services, Context>(parts: WorkerOptions<Services, Context>): Promise<Worker> {
  const times = parts.stopTimes ?? defaultStopTimes;
  const stopping = openStopping(parts.database, times);
  const { promise: abandoned, resolve: onAbandoned } = Promise.withResolvers<void>();
  const { pool, whenIdle } = reconnectingPool(parts.database.pool, stopping.requested, onAbandoned);
  const ending = new Set<Promise<void>>();
  const waits = openWorkWaits(stopping.requested);
  const registry = await openWorkerRegistry(parts.database, {
    onReconnect: () => {
      waits.wake();
      void restart();
    },
    onSignal: (kinds) => waits.wake(kinds),
  });
  const gate = openJobGate(parts.database.pool);
  let current: QueueRun | undefined;

  const end = ({ id, runner }: QueueRun): void => {
    const stopped = runner.stop().catch(() => undefined); // it may have stopped already
    const ended = stopped.then(whenIdle);
    ending.add(ended);
    void ended.then(() => {
      ending.delete(ended);
      registry.deregister(id);
    });
  };
  const start = async (): Promise<void> => {
    const run = await openRun(parts, { pool, gate, stopping, onOpened: (id) => registry.register(id) });
    current = run;
    void run.runner.promise
      .catch(() => undefined)
      .then(async () => {
        if (current === run) await restart();
      });
  };
  /**
   * Replaces the queue's runner after a lost connection. A job may be locked for the old runner although the reply was lost. The
   * registry unlocks such jobs once the old runner has ended.
   */
  const restart = async (): Promise<void> => {
    const old = current;
    current = undefined;
    if (!old || stopping.requested.aborted) return;
    parts.log.warn('the queue begins again');
    end(old);
    while (!current && !stopping.requested.aborted) {
      await start().catch((error) => parts.log.warn({ err: error }, 'the queue could not begin; trying again'));
      if (!current) await sleep(restartPauseMs);
      else if (stopping.requested.aborted) end(current);
    }
  };

  try {
    await start();
  } catch (error) {
    await registry.close();
    throw error;
  }
  const loops = (parts.loops ?? []).map((loop) => loop.run(loopContext(parts, stopping, waits), stopping.requested));
  return {
    async stop() {
      stopping.begin();
      await gate.stop().catch((error) => parts.log.warn({ err: error }, 'a job that runs alone may count as interrupted'));
      const last = current;
      if (last) end(last);
      const ended = Promise.all([Promise.race([Promise.all(ending), abandoned]), ...loops]).then(() => true);
      const hasEnded = await Promise.race([ended, sleep(times.abandon, false, { ref: false })]);
      stopping.end();
      if (!hasEnded && last) {
        const jobs = await uncountAttempts(parts.database.pool, last.id);
        parts.log.warn({ jobs }, 'background work did not end in time; it runs again after the next start');
      }
      await registry.close();
    },
  };
}

type QueueRun = { id: string; runner: Runner };

type QueueRunOptions = { pool: pg.Pool; gate: JobGate; stopping: Stopping; onOpened: (id: string) => void };

async function openRun<Services, Context>(
  parts: WorkerOptions<Services, Context>,
  { pool, gate, stopping, onOpened }: QueueRunOptions,
): Promise<QueueRun> {
  const events: WorkerEvents = new EventEmitter();
  // The queue locks jobs under the id of the worker pool, not under the ids of its workers.
  let id = '';
  events.on('pool:create', ({ workerPool }) => {
    id = workerPool.id;
    onOpened(id);
  });
  const runner = await run({
    ...options(parts, { gate, stopping }),
    pgPool: pool,
    concurrency: parts.concurrency ?? defaultConcurrency,
    pollInterval: pollMs,
    noHandleSignals: true,
    events,
    parsedCronItems: scheduled(parts.jobs),
  });
  for (const { name, attempts, schedule } of parts.jobs)
    if (schedule?.atStart) await runner.addJob(name, {}, { jobKey: name, maxAttempts: attempts });
  return { id, runner };
}

const loopContext = <Services, Context>(
  parts: WorkerOptions<Services, Context>,
  stopping: Stopping,
  waits: WorkWaits,
): BackgroundLoopContext<Services> => ({
  waits,
  db: parts.database.db,
  services: parts.services,
  interruptible: interruptible(parts, stopping),
  log: parts.log,
  clock: parts.clock,
});

const interruptible = <Services, Context>(
  { services, servicesUntil }: WorkerOptions<Services, Context>,
  { db, interrupted }: Stopping,
) => ({
  db,
  services: servicesUntil?.(interrupted) ?? services,
});

/** The crontab of the queue. The job key keeps one waiting job of each name, even if no worker has run for a long time. */
function scheduled<Context>(jobs: readonly Job<never, Context>[]): ReturnType<typeof parseCronItems> {
  return parseCronItems(
    jobs.flatMap(({ name, attempts, schedule }) =>
      schedule ? [{ task: name, match: schedule.cron, options: { jobKey: name, maxAttempts: attempts } }] : [],
    ),
  );
}

/** Runs jobs and background loops until nothing is due. */
export async function runDueJobs<Services, Context>(parts: WorkerOptions<Services, Context>): Promise<void> {
  const events: WorkerEvents = new EventEmitter();
  const pools: string[] = [];
  const gate = openJobGate(parts.database.pool);
  const stopping = openStopping(parts.database, defaultStopTimes);
  events.on('pool:create', ({ workerPool }) => pools.push(workerPool.id));
  for (;;) {
    const counts = await Promise.all(
      (parts.loops ?? []).map((loop) => loop.drain(loopContext(parts, stopping, openWorkWaits(stopping.requested)))),
    );
    const { isDue, isEnding } = await findDueJobs(parts, pools);
    if (isDue) await runOnce({ ...options(parts, { gate, stopping }), events });
    else if (isEnding) await sleep(pauseMs);
    else if (counts.every((count) => count === 0)) return;
  }
}

/**
 * Whether jobs are due, and whether some of these pools still exist. `runOnce` may return before its last jobs are removed from
 * the table, and skip a job behind one of them in the same queue.
 */
async function findDueJobs<Services, Context>({ database, jobs }: WorkerOptions<Services, Context>, pools: readonly string[]) {
  const names = jobs.map(({ name }) => name);
  const { rows } = await database.pool.query<{ isDue: boolean; isEnding: boolean }>(
    `select exists(select from jobs._private_jobs j join jobs._private_tasks t on t.id = j.task_id
        where is_available and run_at <= now() and t.identifier = any($2)) as "isDue",
      exists(select from jobs._private_jobs where locked_by = any($1)) as "isEnding"`,
    [pools, names],
  );
  return rows[0] ?? { isDue: false, isEnding: false };
}

function options<Services, Context>(
  parts: WorkerOptions<Services, Context>,
  { gate, stopping }: Pick<QueueRunOptions, 'gate' | 'stopping'>,
) {
  const { database, jobs, contextOf, log, clock } = parts;
  const { db, services } = interruptible(parts, stopping);
  const given = {
    db,
    log,
    stopping: stopping.requested,
  };
  const taskList: TaskList = Object.fromEntries(
    jobs.map((declared) => [
      declared.name,
      async (payload: unknown, { job: taken }: JobHelpers) => {
        const isLastAttempt = taken.attempts >= taken.max_attempts;
        const isInterrupted = taken.flags?.[interruptedFlag] === true;
        try {
          // `enqueue` wrote the payload with the job's own type.
          await gate.run({ id: taken.id, isInterrupted }, () =>
            declared.run(payload as never, contextOf({ ...given, now: clock(), isLastAttempt }, services)),
          );
        } catch (error) {
          if (!isJobStopped(error) && !stopping.interrupted.aborted) throw error;
          await returnJob(database.pool, taken);
          throw new JobStopped();
        }
      },
    ]),
  );
  return { pgPool: database.pool, schema: jobsSchema, taskList, logger: workerLogger(log) };
}

/**
 * Writes the queue's own messages to the log of the process. Messages below a warning, and messages of interrupted jobs, have the
 * level debug.
 */
const workerLogger = (log: Logger): WorkerLogger =>
  new WorkerLogger(() => (level, message, meta) => {
    if ((level === 'error' || level === 'warning') && !isJobStopped(meta?.error))
      log[level === 'error' ? 'error' : 'warn']({ detail: meta?.error ?? meta }, message);
    else log.debug(message);
  });
