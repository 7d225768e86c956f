import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';

/** The names of the jobs on runners. Rules add them with these functions; `jobs.ts` runs them. */
export const provisioning = { name: 'hosted-runners.provision', attempts: 10 } as const;
export const removal = { name: 'hosted-runners.remove', attempts: 10 } as const;
export const contentRemoval = { name: 'hosted-runners.drop-content', attempts: 10 } as const;

type Runner = Id<'hosted_runners'>;

/** The jobs of a runner run one after the other. One waiting job of each kind is enough, since a job reads the current state. */
const jobsFor = (runners: readonly Runner[], kind: string) =>
  runners.map((runner) => ({
    payload: { runner },
    options: { queue: `hosted-runner:${runner}`, key: `hosted-runner:${runner}:${kind}` },
  }));

export const enqueueProvisioning = (tx: Tx, runners: readonly Runner[]): Promise<void> =>
  enqueueAll(tx, provisioning, jobsFor(runners, 'provision'));

export const enqueueRemoval = (tx: Tx, runners: readonly Runner[]): Promise<void> =>
  enqueueAll(tx, removal, jobsFor(runners, 'remove'));

/** Versions without content are skipped, since the provider stores nothing for them. */
export const enqueueContentRemoval = (tx: Tx, contents: readonly (string | null)[]): Promise<void> =>
  enqueueAll(
    tx,
    contentRemoval,
    contents.filter((content) => content !== null).map((content) => ({ payload: { content } })),
  );
