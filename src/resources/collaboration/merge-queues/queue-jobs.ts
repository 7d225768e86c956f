// Having queues advance, for rules and follow-ups: the job is in `jobs.ts`.
import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { QueueKey } from './store.ts';

export const advanceJob = { name: 'merge-queues.advance', attempts: 25 } as const;

const queueName = ({ repository, branch }: QueueKey): string => `merge-queue:${repository}:${branch}`;

/** Has a queue advance as soon as possible. */
export const enqueueAdvance = (tx: Tx, key: QueueKey): Promise<void> => enqueueAdvances(tx, [key]);

export const enqueueAdvances = (tx: Tx, keys: readonly QueueKey[]): Promise<void> =>
  enqueueAll<QueueKey>(
    tx,
    advanceJob,
    keys.map((payload) => {
      const queue = queueName(payload);
      return { payload, options: { queue, key: queue } };
    }),
  );
