// What follows pushes: configuration files are read again, and pull requests with conflicts are recreated.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, type Recorded } from '#events/subscription.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import { enqueueAll } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { defaultBranchChanges, listWithChangedDefaultBranch } from '#resources/repositories/repositories/index.ts';
import { loadStates } from './config-store.ts';
import { recreateConflicting } from './follow.ts';
import { queueOf } from './queue.ts';
import { findConfig, readConfigs } from './read-config.ts';

type Moved = Recorded<(typeof defaultBranchChanges)[number]>;

/** Whether branches may have moved, and not only tags. */
const hasBranches = ({ kind, data }: Moved): boolean =>
  kind !== 'push' || data.moves.some(({ ref }) => branchOf(ref) !== undefined);

/** Queues what follows moves of branches. A batch of pushes costs one statement. */
export const followPushes = batchSubscription<(typeof defaultBranchChanges)[number], JobContext>({
  name: 'dependency-updates.follow-pushes',
  on: defaultBranchChanges,
  attempts: 10,
  async runAll(events, { db, scope, services, change }) {
    const moved = events.filter(hasBranches);
    if (moved.length === 0) return;
    const states = await loadStates(db, unique(gather(moved, 'repository')));
    const changed: Id<'repositories'>[] = [];
    for (const repository of await listWithChangedDefaultBranch(scope, moved)) {
      const found = await findConfig(services.git, repository);
      const state = states.get(repository.id);
      if (found?.oid !== (state?.oid ?? undefined) || found?.path !== (state?.path ?? undefined)) changed.push(repository.id);
    }
    const proposing = [...states.values()].flatMap(({ repository_id, has_open }) => (has_open ? repository_id : []));
    if (changed.length + proposing.length === 0) return;
    await change(async ({ tx }) => {
      await enqueueAll(
        tx,
        readConfigs,
        changed.map((repository) => entryOf(repository, 'read-config')),
      );
      await enqueueAll(
        tx,
        recreateConflicting,
        proposing.map((repository) => entryOf(repository, 'recreate')),
      );
    });
  },
});

const entryOf = (repository: Id<'repositories'>, work: string) => ({
  payload: { repository },
  options: { queue: queueOf(repository), key: `dependency-updates.${work}:${repository}` },
});
