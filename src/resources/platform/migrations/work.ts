import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';

/** The name of the job that writes an archive. Rules add it with the function below; `jobs.ts` runs it. */
export const exporting = { name: 'migrations.export', attempts: 25 } as const;

type Wanted = { readonly id: Id<'migrations'>; readonly account_id: Id<'accounts'> };

/** Archives are written one after the other, so that they take one place among the background jobs. Accounts take turns. */
export const askToExport = (tx: Tx, migrations: readonly Wanted[]): Promise<void> =>
  enqueueAll(
    tx,
    exporting,
    migrations.map(({ id: migration, account_id }) => ({
      payload: { migration },
      options: { queue: 'migrations', key: `migration:${migration}`, priority: 10, share: account_id },
    })),
  );
