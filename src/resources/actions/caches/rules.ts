import type { Db } from '#database/connect.ts';
import type { File } from '#endpoint/call.ts';
import type { Change, WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { badRequest, conflict, notFound, orNotFound } from '#lib/refusal.ts';
import { addDays } from '#lib/time.ts';
import { beginUpload, dropUpload, removeObjectsLater, takeUpload, type UploadRow } from '#resources/actions/job-uploads/index.ts';
import { findRunOf, type JobRow, loadRuns, readableRefs } from '#resources/actions/workflow-runs/index.ts';
import { type ActionsPolicy, loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { loadNamedRepositories, lockRepository } from '#resources/repositories/repositories/index.ts';
import { cacheLimits } from './limits.ts';
import {
  type Bounds,
  findBegun,
  findCacheNamed,
  findFitting,
  insertCache,
  noteAccess,
  removeBeyond,
  removeCache,
  removeCachesNamed,
  setObject,
  type WholeCache,
} from './store.ts';

type Limits = LimitValues<typeof cacheLimits>;
const maxKey = fixedValue(cacheLimits.cacheKey);
const maxKeys = fixedValue(cacheLimits.cacheKeys);

/** The group of the caches of a repository in the object store. */
export const cacheGroupOf = (repository: Id<'repositories'>): string => `caches-${repository}`;

/** The name of a cache within its ref. The client computes the version from the paths and the compression. */
type CacheName = { readonly key: string; readonly version: string };

const taken = () => conflict('a cache with this key already exists');

/**
 * The ref that a run's caches are written to.
 * @throws Refusal 409 for a run of a bare commit, which has no ref
 */
function scopeOf({ ref }: { ref: string | null }): string {
  if (ref === null) throw conflict('a run without a branch or tag has no caches');
  return ref;
}

/**
 * Starts a cache of a running job, in the scope of the run's ref. Others can read it after its upload is complete and
 * `finishCache` was called.
 * @throws Refusal 409 if the scope already has a cache with this name, since caches never change, and for a run without a ref
 */
export async function beginCache(
  scope: WriteScope,
  job: JobRow,
  { key, version }: CacheName,
  { limits, now }: { limits: Limits; now: Date },
): Promise<UploadRow> {
  checkNames([key], version);
  const run = orNotFound((await loadRuns(scope.tx, [job.run_id])).get(job.run_id));
  const repository = { id: run.repository_id, owner_id: run.owner_id };
  const begun = await findBegun(scope.tx, job.id, { key, version });
  // The client is retrying.
  if (begun?.upload_id) await dropUpload(scope, begun.upload_id);
  const ref = scopeOf(run);
  if (await findCacheNamed(scope.tx, { repository: repository.id, ref, version, key })) throw taken();
  const { cacheStorageBytes } = await loadActionsPolicy(scope.tx, repository);
  const upload = await beginUpload(scope, {
    job: job.id,
    group: cacheGroupOf(repository.id),
    most: { bytes: Math.min(limits.cacheSize, cacheStorageBytes), name: 'results.cacheSize' },
    now,
  });
  await insertCache(scope.tx, {
    repository_id: repository.id,
    job_id: job.id,
    ref,
    key,
    version,
    upload_id: upload.id,
    created_at: now,
    last_accessed_at: now,
  });
  return upload;
}

function checkNames(keys: readonly string[], version: string): void {
  if (keys.length > maxKeys) throw badRequest(`There can be at most ${maxKeys} keys (results.cacheKeys)`);
  for (const key of keys)
    if (key === '' || key.length > maxKey || key.includes(','))
      throw badRequest(`The key of a cache must have 1 to ${maxKey} characters, and no comma (results.cacheKey)`);
  if (version === '' || version.length > maxKey) throw badRequest(`version must have 1 to ${maxKey} characters`);
}

/**
 * Finishes a cache whose upload is complete. If the repository then exceeds its limit, the least recently used caches are
 * removed. Repeating it changes nothing.
 * @throws Refusal 400 if the size differs from the client's report; 409 if another job was first
 */
export async function finishCache(
  scope: WriteScope,
  job: JobRow,
  { key, version, size }: CacheName & { readonly size: number | undefined },
  { limits, now }: { limits: Limits; now: Date },
): Promise<WholeCache['id']> {
  const run = orNotFound((await loadRuns(scope.tx, [job.run_id])).get(job.run_id));
  // If two finish at the same time, the second sees the first.
  await lockRepository(scope.tx, run.repository_id);
  const begun = await findBegun(scope.tx, job.id, { key, version });
  const named = await findCacheNamed(scope.tx, { repository: run.repository_id, ref: scopeOf(run), version, key });
  if (!begun?.upload_id) {
    if (named?.job_id === job.id) return named.id;
    throw notFound();
  }
  if (named) throw taken();
  const whole = await takeUpload(scope, begun.upload_id, (object) =>
    setObject(scope.tx, begun.id, { ...object, created_at: now, last_accessed_at: now }),
  );
  if (!whole) throw badRequest('The upload is not complete');
  if (size !== undefined && size !== whole.size)
    throw badRequest('The received size differs from the size that the client reported');
  const policy = await loadActionsPolicy(scope.tx, { id: run.repository_id, owner_id: run.owner_id });
  await removeObjectsLater(scope, await removeBeyond(scope.tx, run.repository_id, boundsOf(policy, { limits, now })));
  return begun.id;
}

/** The limits of a repository's caches. */
export const boundsOf = (
  { cacheStorageBytes, cacheRetentionDays }: ActionsPolicy,
  { limits, now }: { limits: Limits; now: Date },
): Bounds => ({ bytes: cacheStorageBytes, caches: limits.caches, unusedSince: addDays(now, -cacheRetentionDays) });

/**
 * The cache for a job's keys: from its own ref, otherwise from the base branch of its pull request or the default branch.
 * @returns undefined if no cache matches
 */
export async function findCacheFor(
  db: Db,
  job: JobRow,
  { keys, version }: { keys: readonly string[]; version: string },
): Promise<WholeCache | undefined> {
  checkNames(keys, version);
  const run = orNotFound(await findRunOf(db, job));
  const repository = orNotFound((await loadNamedRepositories(db, [run.repository_id])).get(run.repository_id));
  return findFitting(db, { repository: run.repository_id, refs: readableRefs(run, repository.default_branch), version, keys });
}

/**
 * Records that a cache is used. A cache without its object, for example after restoring a backup without caches, is removed
 * instead.
 * @returns whether it can be read
 */
export async function useCache(
  change: Change,
  objects: Services['objects'],
  { id, object_key }: WholeCache,
  now: Date,
): Promise<boolean> {
  const stream = await objects.open(object_key, { start: 0, end: 0 });
  stream?.destroy();
  if (!stream) await change((scope) => removeCache(scope.tx, id));
  else await change((scope) => noteAccess(scope.tx, id, now));
  return stream !== undefined;
}

/** Deletes a cache, with its bytes. */
export async function deleteCache(scope: WriteScope, { id }: Pick<WholeCache, 'id'>): Promise<void> {
  await removeObjectsLater(scope, await removeCache(scope.tx, id));
}

/**
 * Deletes the caches with a key, of one ref or of all.
 * @throws Refusal 404 if there are no such caches
 */
export async function deleteCachesNamed(
  scope: WriteScope,
  wanted: { repository: Id<'repositories'>; key: string; ref: string | undefined },
): Promise<WholeCache[]> {
  const removed = await removeCachesNamed(scope.tx, wanted);
  if (removed.length === 0) throw notFound();
  await removeObjectsLater(
    scope,
    removed.map(({ object_key }) => object_key),
  );
  return removed;
}

/** The file of a cache, for a reply. */
export const fileOf = ({ objects }: Pick<Services, 'objects'>, { object_key, size, digest, created_at }: WholeCache): File => ({
  size,
  etag: `"${digest.replace('sha256:', '')}"`,
  modified: created_at,
  open: (range) => objects.open(object_key, range),
});
