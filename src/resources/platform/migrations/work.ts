import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';

/** The name of the job that writes an archive. Rules add it with the function below; `jobs.ts` runs it. */
export const exporting = { name: 'migrations.export', attempts: 25 } as const;

/** Archives are written one after the other, so that they take one place among the background jobs. */
export const askToExport = (tx: Tx, migrations: readonly Id<'migrations'>[]): Promise<void> =>
  enqueueAll(
    tx,
    exporting,
    migrations.map((migration) => ({
      payload: { migration },
      options: { queue: 'migrations', key: `migration:${migration}`, priority: 10 },
    })),
  );
