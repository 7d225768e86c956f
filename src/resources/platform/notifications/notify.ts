// Work on many accounts in the background: each batch has a transaction of its own.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { chunks } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { type Activities, notifyNextBatch } from './fan-out-store.ts';

type Account = Id<'accounts'>;

/** The number of activities in one statement. */
const activitiesPerBatch = 50;
const first = asId<'accounts'>(0);

/** Notifies all recipients of activities. A subject with more recipients than its share of a statement continues separately. */
export async function notify({ change }: Pick<JobContext, 'change'>, all: Activities): Promise<void> {
  for (const activities of chunks(all.activities, activitiesPerBatch))
    for (const { subject, last } of await change((scope) => notifyNextBatch(scope.tx, { ...all, activities }, first))) {
      const alone = { ...all, activities: activities.filter((activity) => activity.subject === subject) };
      await inBatches(change, async (tx, after) => (await notifyNextBatch(tx, alone, after))[0]?.last, last);
    }
}

/** Works through the accounts after `from`, ordered by id. A batch returns its last id; undefined after the last batch. */
export async function inBatches(
  change: JobContext['change'],
  batch: (tx: Tx, after: Account) => Promise<Account | undefined>,
  from: Account = first,
): Promise<void> {
  let after: Account | undefined = from;
  while (after !== undefined) {
    const next: Account = after;
    after = await change((scope) => batch(scope.tx, next));
  }
}
