import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
import { enqueueReading, readerVersion } from './read.ts';
import { listOutdated, removeGraphs } from './store.ts';

const kinds = ['push', 'repository.imported', 'repository.default_branch_changed', 'repository.security_changed'] as const;

/** Reads the dependencies of pushed and imported commits, and removes the graph if it was disabled. */
export const followRepositories = batchSubscription<(typeof kinds)[number], JobContext>({
  name: 'dependency-graph.follow',
  on: kinds,
  attempts: 25,
  async runAll(events, { change, scope }) {
    const repositories = await scope.load.all(namedRepositories, unique(gather(events, 'repository')));
    const read = new Set([...repositories.values()].flatMap(({ id, dependency_graph }) => (dependency_graph ? [id] : [])));
    const last = new Map(events.flatMap(({ repository, actor }) => (repository === undefined ? [] : [[repository, actor]])));
    const switched = events.filter(({ kind }) => kind === 'repository.security_changed');
    const forgotten = unique(gather(switched, 'repository')).filter((repository) => !read.has(repository));
    const payloads = [...last].flatMap(([repository, actor]) => (read.has(repository) ? [{ repository, actor }] : []));
    if (payloads.length === 0 && forgotten.length === 0) return;
    await change(async (scope) => {
      await enqueueReading(scope.tx, payloads);
      if (forgotten.length > 0) await removeGraphs(scope.tx, forgotten);
    });
  },
});

/** Reads repositories again whose graph is missing or was read by an older version of the server. */
export const readOutdated = job<Record<string, never>, JobContext>({
  name: 'dependency-graph.read-outdated',
  attempts: 3,
  schedule: { cron: '41 2 * * *', atStart: true },
  async run(_payload, { db, change }: JobContext) {
    const outdated = await listOutdated(db, readerVersion);
    await change((scope) =>
      enqueueReading(
        scope.tx,
        outdated.map((repository) => ({ repository, actor: undefined })),
      ),
    );
  },
});
