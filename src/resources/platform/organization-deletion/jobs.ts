import type { Account } from '#access/viewer.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { addMinutes } from '#lib/time.ts';
import { removeAccount } from '#resources/identity/accounts/index.ts';
import { findAnyOwnedForUpdate, hasRepositories, removeWithOwner } from '#resources/repositories/repositories/index.ts';
import { loadDeleted } from './store.ts';
import { removing } from './work.ts';

/** How long the webhooks of a deleted organization are kept, in minutes, so that they can report the deletion. */
const notificationDelayMinutes = 10;

/**
 * Removes the data of deleted organizations, one repository at a time, and then the organizations with their webhooks,
 * migrations, runners and settings. The job may be killed at any time: the next one continues.
 */
export const removeDeleted = job<Record<string, never>, JobContext>({
  ...removing,
  schedule: { cron: '*/10 * * * *', atStart: true },
  async run(_payload, context) {
    for (const account of await loadDeleted(context.db)) await remove(account, context);
  },
});

async function remove({ id, updated_at }: Account, { db, change, now, stopping }: JobContext): Promise<void> {
  const removeOne = async (scope: WriteScope): Promise<void> => {
    const repo = await findAnyOwnedForUpdate(scope.tx, id);
    if (repo) await removeWithOwner(scope, repo, now);
  };
  await repeatWhile({ stopping }, async () => {
    const isLeft = await hasRepositories(db, id);
    if (isLeft) await change(removeOne);
    return isLeft;
  });
  if (updated_at <= addMinutes(now, -notificationDelayMinutes)) await change((scope) => removeAccount(scope.tx, id));
}
