// Reads the dependencies of a repository from the files of its default branch, in the background.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { record } from '#events/record.ts';
import type { ListedEntry } from '#git/objects/tree-list.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { system } from '#lib/caller.ts';
import { getOptional, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { findRepository, lockRepository } from '#resources/repositories/repositories/index.ts';
import { listManifestFiles, readFiles } from './files.ts';
import { dependencyLimits } from './limits.ts';
import { findGraph, insertManifest, listManifests, removeManifests, replaceGraph } from './store.ts';

/** Must be incremented when files are read differently. All repositories are then read again. */
export const readerVersion = 2;

type Payload = { repository: Id<'repositories'>; actor: Id<'accounts'> | undefined };

const { ofRepository } = dependencyLimits;

/** Reading shares a queue, so that one repository is read at a time. Waiting jobs of the same repository are merged into one. */
export const enqueueReading = (tx: Tx, payloads: readonly Payload[]): Promise<void> =>
  enqueueAll(
    tx,
    readDependencies,
    payloads.map((payload) => ({
      payload,
      options: { queue: 'dependency-graph', key: `dependency-graph:${payload.repository}` },
    })),
  );

export const readDependencies = job<Payload, JobContext>({
  name: 'dependency-graph.read',
  attempts: 10,
  async run({ repository, actor }, { db, change, services, now }) {
    const repo = await findRepository(db, repository);
    const gitRepository = repoOf(services.git, repository);
    if (!repo?.dependency_graph || !(await repositoryExists(gitRepository))) return;
    const ref = branchRef(repo.default_branch);
    const [graph, known, commit] = await Promise.all([
      findGraph(db, repository),
      listManifests(db, repository),
      findRefOids(gitRepository, [ref]).then((oids) => oids.get(ref) ?? null),
    ]);
    const isKnown = graph?.reader === readerVersion;
    if (isKnown && graph.commit_sha === commit) return;
    const files = commit === null ? [] : await listManifestFiles(gitRepository, commit);
    const before = keyed(isKnown ? known : [], ({ path }) => path);
    // Dependencies that exceeded the limit may fit now.
    const isSame = ({ path, oid }: ListedEntry) => {
      const row = getOptional(before, path);
      return row?.blob_sha === oid && row.problem === null;
    };
    const kept = new Set(files.filter(isSame).map(({ path }) => path));
    const gone = known.filter(({ path }) => !kept.has(path));
    const used = known.reduce((sum, { path, count }) => sum + (kept.has(path) ? count : 0), 0);
    const read = await readFiles(
      gitRepository,
      files.filter(({ path }) => !kept.has(path)),
      // Repositories are read one after the other, so that they share one thread.
      { room: fixedValue(ofRepository) - used, bytes: Number.POSITIVE_INFINITY, caller: system },
    );
    await change(async (scope) => {
      // A push from now on waits, and is read afterwards; a setting that was disabled meanwhile stays disabled.
      if (!(await lockRepository(scope.tx, repository))?.dependency_graph) return;
      if (gone.length > 0)
        await removeManifests(
          scope.tx,
          gone.map(({ id }) => id),
        );
      for (const { path, oid, dependencies, problem } of read)
        await insertManifest(
          scope.tx,
          { repository_id: repository, path, blob_sha: oid, problem, snapshot_id: null },
          dependencies,
        );
      await replaceGraph(scope.tx, { repository_id: repository, commit_sha: commit, reader: readerVersion, read_at: now });
      await record(scope.tx, { kind: 'dependency_graph.read', owner: repo.owner_id, repository, actor, at: now, data: {} });
    });
  },
});
