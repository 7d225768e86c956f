// Having queues advance, for rules and follow-ups: the job is in `jobs.ts`.
import { hash } from 'node:crypto';
import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { QueueKey } from './store.ts';

export const advanceJob = { name: 'merge-queues.advance', attempts: 25 } as const;

/** The hash of the branch, since a name of jobs has 128 characters at most. */
const queueName = ({ repository, branch }: QueueKey): string => `merge-queue:${repository}:${hash('sha256', branch)}`;

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
