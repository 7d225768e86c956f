// Having queues advance, for rules and follow-ups: the job is in `jobs.ts`.
import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { QueueKey } from './store.ts';

export const advanceJob = { name: 'merge-queues.advance', attempts: 25 } as const;

const queueName = ({ repository, branch }: QueueKey): string => `merge-queue:${repository}:${branch}`;

/** Has a queue advance as soon as possible, or at a time, beside which it may do so earlier. */
export const enqueueAdvance = (tx: Tx, key: QueueKey, runAt?: Date): Promise<void> => enqueueAdvances(tx, [key], runAt);

export const enqueueAdvances = (tx: Tx, keys: readonly QueueKey[], runAt?: Date): Promise<void> =>
  enqueueAll<QueueKey>(
    tx,
    advanceJob,
    keys.map((payload) => {
      const queue = queueName(payload);
      return { payload, options: { queue, key: runAt ? `${queue}:timer` : queue, ...(runAt ? { runAt } : {}) } };
    }),
  );
