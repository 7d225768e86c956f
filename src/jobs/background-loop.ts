import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { WorkWaits } from './work-waits.ts';

export type BackgroundLoopContext<Services> = {
  db: Db;
  services: Services;
  /**
   * The database and the services of jobs. Some time after the worker is stopped, they refuse work (`stopping.ts`). Omitted: they
   * never refuse.
   */
  interruptible?: { db: Db; services: Services };
  /** Waits between two reads of the loop's table. */
  waits: WorkWaits;
  log: Logger;
  clock: () => Date;
};

/**
 * Work that a worker does outside the job queue, many items together from their own table. It suits work that mostly waits for
 * the network.
 */
export type BackgroundLoop<Services = never> = {
  readonly name: string;
  /** Works until `stopping` is aborted, then finishes the work in progress. */
  run(context: BackgroundLoopContext<Services>, stopping: AbortSignal): Promise<void>;
  /** Works until nothing is due. Returns the number of items. */
  drain(context: BackgroundLoopContext<Services>): Promise<number>;
};
