import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';

export type BackgroundLoopContext<Services> = { db: Db; services: Services; log: Logger; clock: () => Date };

/**
 * Work that a worker does outside the job queue, with many pieces at once from a table of their own: for work that waits much and
 * computes little.
 */
export type BackgroundLoop<Services = never> = {
  readonly name: string;
  /** Works until `stopping`, then finishes what is under way. */
  run(context: BackgroundLoopContext<Services>, stopping: AbortSignal): Promise<void>;
  /** Works until nothing is due. Returns the number of pieces. */
  drain(context: BackgroundLoopContext<Services>): Promise<number>;
};
