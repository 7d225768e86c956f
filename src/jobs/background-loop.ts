import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { WorkWaits } from './work-waits.ts';

export type BackgroundLoopContext<Services> = {
  db: Db;
  services: Services;
  /**
   * The database and the services that jobs work with, which are refused a while after the worker was stopped (`stopping.ts`). Omitted: they
   * are never refused.
   */
  interruptible?: { db: Db; services: Services };
  /** What the loop waits for between two looks at its table. */
  waits: WorkWaits;
  log: Logger;
  clock: () => Date;
};

/**
 * Work that a worker does outside the job queue, many items at once from a table of their own. It is for work that mostly waits
 * for the network.
 */
export type BackgroundLoop<Services = never> = {
  readonly name: string;
  /** Works until `stopping` is aborted, then finishes what is in progress. */
  run(context: BackgroundLoopContext<Services>, stopping: AbortSignal): Promise<void>;
  /** Works until nothing is due. Returns the number of items. */
  drain(context: BackgroundLoopContext<Services>): Promise<number>;
};
