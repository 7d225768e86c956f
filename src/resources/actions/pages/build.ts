// Builds of websites. A build reads the contents of its commit or artifact. The website is replaced only if all contents are
// valid.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { isGitError } from '#git/errors.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { writeFiles } from '#git/objects/write-files.ts';
import { writeCommit } from '#git/objects/write-objects.ts';
import { findRef } from '#git/refs/refs.ts';
import { mustUpdateRefs, updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { fileOf, findArtifact, isExpired } from '#resources/actions/artifacts/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { claimDomain, ownHosts } from './domains.ts';
import { pagesLimits } from './limits.ts';
import { BuildError, checkSize, findSiteFolder, readRoot } from './measure.ts';
import { type BuildPayload, building } from './queue.ts';
import { removeReaders } from './reader-store.ts';
import {
  type BuildRow,
  beginBuild,
  findBuild,
  findBuildForUpdate,
  findSite,
  findSiteForUpdate,
  type SiteRow,
  updateBuild,
  updateSite,
} from './store.ts';
import { filesOfArtifact } from './unpack.ts';

/** Protects the served files from garbage collection, whatever happens to the branches. */
export const servedRef = 'refs/hearth/pages';

type Built = { tree: Oid; cname: string | undefined; custom_404: boolean };

export const buildSite = job<BuildPayload, JobContext>({
  ...building,
  async run({ build: id }, context) {
    const { db, change, now } = context;
    const build = await findBuild(db, id);
    const site = build && (await findSite(db, build.repository_id));
    if (!site || !(await change((scope) => beginBuild(scope.tx, id, now)))) return;
    const gitRepository = repoOf(context.services.git, build.repository_id);
    const started = performance.now();
    const end = (result: Built | string) =>
      endBuild(context, build, { result, duration_ms: Math.round(performance.now() - started) });
    let kept: Oid | null | undefined;
    // If the new files aren't served, the ref returns to the files that are.
    const finish = async (result: Built | string) => {
      if (!(await end(result)) && kept !== undefined) await updateRefs(gitRepository, [{ ref: servedRef, to: kept }]);
    };
    try {
      kept = (await findRef(gitRepository, servedRef))?.oid ?? null;
      await finish(await (build.kind === 'branch' ? readCommit : readArtifact)(context, build, site).catch(asProblem));
    } catch (error) {
      // Without this, the build would be shown as running forever.
      if (context.isLastAttempt) await finish('The server failed to build the website. Request another build, or push again.');
      throw error;
    }
  },
});

/**
 * Publishes the files that were read, or records the problem, unless the build was cancelled or its website deleted meanwhile.
 * Returns whether the files are served.
 */
const endBuild = (
  context: JobContext,
  build: BuildRow,
  { result, duration_ms }: { result: Built | string; duration_ms: number },
): Promise<boolean> =>
  context.change(async (scope) => {
    const site = await findSiteForUpdate(scope.tx, build.repository_id);
    const isWanted = (await findBuildForUpdate(scope.tx, build.id))?.status === 'building';
    if (!site || !isWanted) return false;
    const isOutdated = (site.live_version ?? 0) > build.id;
    const publishOnce = (built: Built) => (isOutdated ? undefined : publish(scope, context, { site, build }, built));
    const problem = typeof result === 'string' ? result : await publishOnce(result);
    const ended = { status: problem === undefined ? 'built' : 'errored', error: problem ?? null } as const;
    await updateBuild(scope.tx, build.id, { ...ended, duration_ms, updated_at: context.now });
    await recordBuilt(scope, context, build);
    return problem === undefined && !isOutdated;
  });

/**
 * Reads the files to serve, and protects them from garbage collection. The files served so far are kept too, for two weeks at
 * least.
 */
async function readCommit({ services }: JobContext, build: BuildRow, site: SiteRow): Promise<Built> {
  const gitRepository = repoOf(services.git, build.repository_id);
  await using reader = await openObjects(gitRepository, { isBulk: true });
  const tree = await findSiteFolder(reader, build.commit_sha, site.source_path);
  await checkSize(gitRepository, tree, services.resourceLimits.of(pagesLimits));
  const root = await readRoot(reader, tree);
  await mustUpdateRefs(gitRepository, [{ ref: servedRef, to: build.commit_sha }]);
  return { tree, ...root };
}

/**
 * Writes the files of an artifact into the repository, as a commit that isn't on any branch. The domain comes only from the
 * settings (the public API's rule).
 */
async function readArtifact({ db, services, now }: JobContext, build: BuildRow): Promise<Built> {
  const artifact = build.artifact_id === null ? undefined : await findArtifact(db, build.artifact_id);
  if (!artifact || isExpired(artifact, now)) throw new BuildError('The artifact is gone.');
  const gitRepository = repoOf(services.git, build.repository_id);
  const tree = await writeFiles(
    gitRepository,
    filesOfArtifact(fileOf(services, artifact), services.resourceLimits.of(pagesLimits)),
  );
  const author = { name: 'Hearth', email: noreplyAddress, date: build.created_at, zone: 0 };
  const message = `Website of ${build.commit_sha}`;
  const commit = await writeCommit(gitRepository, { tree, parents: [], author, committer: author, message });
  await using reader = await openObjects(gitRepository, { isBulk: true });
  const { custom_404 } = await readRoot(reader, tree);
  await mustUpdateRefs(gitRepository, [{ ref: servedRef, to: commit }]);
  return { tree, cname: undefined, custom_404 };
}

const noreplyAddress = 'noreply@hearth.invalid';

/** The message of a failure that the publisher can fix. Other errors are rethrown, so that the job is retried. */
function asProblem(error: unknown): string {
  if (error instanceof BuildError) return error.message;
  if (isGitError(error, 'invalid')) return 'The website holds a path that is not allowed, or one twice.';
  if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return 'The website is too large to be read.';
  throw error;
}

/** Serves the built files instead of the current ones. Returns the reason if that isn't possible. */
async function publish(
  scope: WriteScope,
  { services, now }: JobContext,
  { site, build: { id, repository_id, commit_sha } }: { site: SiteRow; build: BuildRow },
  { tree, cname, custom_404 }: Built,
): Promise<string | undefined> {
  if (cname !== undefined) {
    const claimed = await claimDomain(scope, repository_id, cname, ownHosts(services));
    if ('problem' in claimed) return `The file CNAME: ${cname.trim().slice(0, 255)} ${claimed.problem}.`;
    if (claimed.domain !== site.domain) {
      await updateSite(scope.tx, repository_id, { https_enforced: false, health: null, health_checked_at: null });
      await removeReaders(scope.tx, repository_id);
    }
  }
  await updateSite(scope.tx, repository_id, {
    live_commit: commit_sha,
    live_tree: tree,
    live_version: id,
    custom_404,
    updated_at: now,
  });
  return undefined;
}

async function recordBuilt(
  scope: WriteScope,
  { now }: JobContext,
  { id, kind, repository_id, pusher_id }: BuildRow,
): Promise<void> {
  const owner = await ownerOf(scope.tx, repository_id);
  if (owner === undefined) return;
  const about = { owner, repository: repository_id, actor: pusher_id ?? undefined, at: now };
  await record(scope.tx, { ...about, kind: kind === 'branch' ? 'pages.built' : 'pages.deployed', data: { build: id } });
}

const ownerOf = async (tx: Tx, repository: Id<'repositories'>): Promise<Id<'accounts'> | undefined> =>
  (await findRepository(tx, repository))?.owner_id;
