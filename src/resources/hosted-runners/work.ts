import type { Tx } from '#database/connect.ts';
import { enqueueAll } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';

/** The work on runners, as rules ask for it; `jobs.ts` does it. */
export const provisioning = { name: 'hosted-runners.provision', attempts: 10 } as const;
export const removal = { name: 'hosted-runners.remove', attempts: 10 } as const;
export const contentRemoval = { name: 'hosted-runners.drop-content', attempts: 10 } as const;

type Runner = Id<'hosted_runners'>;

/** One runner is worked on by one at a time, and one waiting piece of each kind is enough: it looks at the present state. */
const piecesFor = (runners: readonly Runner[], kind: string) =>
  runners.map((runner) => ({
    payload: { runner },
    options: { queue: `hosted-runner:${runner}`, key: `hosted-runner:${runner}:${kind}` },
  }));

export const askToProvision = (tx: Tx, runners: readonly Runner[]): Promise<void> =>
  enqueueAll(tx, provisioning, piecesFor(runners, 'provision'));

export const askToRemove = (tx: Tx, runners: readonly Runner[]): Promise<void> =>
  enqueueAll(tx, removal, piecesFor(runners, 'remove'));

/** Nothing was kept where a version has no content. */
export const askToDrop = (tx: Tx, contents: readonly (string | null)[]): Promise<void> =>
  enqueueAll(
    tx,
    contentRemoval,
    contents.filter((content) => content !== null).map((content) => ({ payload: { content } })),
  );
