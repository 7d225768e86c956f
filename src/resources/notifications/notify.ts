// Work on many accounts in the background: each batch has a transaction of its own.
import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#jobs/job.ts';
import { asId, type Id } from '#lib/id.ts';
import { type Activity, notifyNextBatch } from './fan-out-store.ts';

type Account = Id<'accounts'>;

/** Notifies all recipients of an event. */
export const notify = ({ change }: Pick<JobContext, 'change'>, activity: Activity): Promise<void> =>
  inBatches(change, (tx, after) => notifyNextBatch(tx, activity, after));

/** Works through accounts in the order of their ids. A batch returns its last id; undefined if it was the last batch. */
export async function inBatches(
  change: JobContext['change'],
  batch: (tx: Tx, after: Account) => Promise<Account | undefined>,
): Promise<void> {
  let after: Account | undefined = asId<'accounts'>(0);
  while (after !== undefined) {
    const next: Account = after;
    after = await change((tx) => batch(tx, next));
  }
}
