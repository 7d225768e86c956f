import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';

export type PumpContext<Services> = { db: Db; services: Services; log: Logger; clock: () => Date };

/**
 * Work that a worker does beside the queue, because it waits much and computes little: many pieces under way at once, taken
 * from a table of their own.
 */
export type Pump<Services = never> = {
  readonly name: string;
  /** Works until it is to stop; what is under way then is finished. */
  run(context: PumpContext<Services>, stopping: AbortSignal): Promise<void>;
  /** Works until nothing is due; how many pieces there were. */
  drain(context: PumpContext<Services>): Promise<number>;
};
