import { type Database, type Db, dbUntil } from '#database/connect.ts';

/** The error of a job that ended because its worker stops. The job runs again later, and the attempt doesn't count. */
export class JobStopped extends Error {
  constructor() {
    super('The worker stops');
    this.name = 'JobStopped';
  }
}

export const isJobStopped = (error: unknown): error is JobStopped => error instanceof JobStopped;

/** Milliseconds after the signal to stop. */
export type StopTimes = {
  /** The time when statements and Git processes of running jobs are interrupted. */
  interrupt: number;
  /** The time after which running jobs are no longer awaited. */
  abandon: number;
};

export const defaultStopTimes: StopTimes = { interrupt: 3_000, abandon: 15_000 };

/**
 * Stops running jobs. Their loops check `requested` before the next step. Since jobs may be killed at any moment, each may also
 * be interrupted between two statements. From `interrupted` on, `db` refuses statements and transactions with `JobStopped`, and
 * Git processes that have the signal end.
 */
export type Stopping = {
  readonly requested: AbortSignal;
  readonly interrupted: AbortSignal;
  /** The database of the jobs. */
  readonly db: Db;
  /** Begins to stop. */
  begin(): void;
  /** Ends the timer. */
  end(): void;
};

export function openStopping(database: Database, { interrupt }: StopTimes): Stopping {
  const [request, interruption] = [new AbortController(), new AbortController()];
  let timer: NodeJS.Timeout | undefined;
  return {
    requested: request.signal,
    interrupted: interruption.signal,
    db: dbUntil(database, interruption.signal),
    begin() {
      request.abort(new JobStopped());
      timer = setTimeout(() => interruption.abort(new JobStopped()), interrupt);
    },
    end() {
      clearTimeout(timer);
    },
  };
}
