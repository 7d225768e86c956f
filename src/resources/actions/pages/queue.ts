import type { Tx } from '#database/connect.ts';
import { enqueue, enqueueAll } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import type { BuildRow } from './store.ts';

export type BuildPayload = { build: BuildRow['id'] };
export const building = { name: 'pages.build', attempts: 10 } as const;

/** Builds wait for other jobs, since a small artifact may unpack to a gigabyte, which takes a worker long. */
const priority = 5;

/** The builds of a website run one after the other. */
export const enqueueBuilds = (tx: Tx, builds: readonly Pick<BuildRow, 'id' | 'repository_id'>[]): Promise<void> =>
  enqueueAll(
    tx,
    building,
    builds.map(({ id, repository_id }) => ({ payload: { build: id }, options: { queue: `pages:${repository_id}`, priority } })),
  );

export type CheckPayload = { repository: Id<'repositories'> };
export const checking = { name: 'pages.check-domain', attempts: 1 } as const;

/** Checks the domain of a website, once for several requests. */
export const enqueueCheck = (tx: Tx, repository: Id<'repositories'>): Promise<void> =>
  enqueue(tx, checking, { repository } satisfies CheckPayload, { key: `${checking.name}:${repository}` });
