import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { fixedValue } from '#lib/limits.ts';
import { type FieldError, invalid, invalidFields } from '#lib/refusal.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { dependencyLimits } from './limits.ts';
import { readPackageUrl } from './package-urls.ts';
import type { NewSnapshot } from './schemas.ts';
import {
  countSubmitted,
  insertManifest,
  type NewDependency,
  removeOldSnapshots,
  replaceSnapshot,
  type SnapshotRow,
} from './store.ts';

const resource = 'DependencySnapshot';
const { ofRepository, snapshots, otherSnapshots, nameLength } = dependencyLimits;

/**
 * Stores the dependencies of a build. They replace what the same job submitted before for the same ref. Returns the id, and
 * whether the ref is the default branch: submissions for other branches only serve comparisons. `commit` is the commit of `sha`.
 * @throws Refusal 422 with the fields
 */
export async function submitSnapshot(
  scope: WriteScope,
  action: RepositoryAction,
  wanted: NewSnapshot & { commit: string },
): Promise<{ id: SnapshotRow['id']; isCurrent: boolean }> {
  const { repo, now } = action;
  const { ref, detector, job } = wanted;
  const manifests = readManifests(wanted.manifests ?? {});
  // The repository stays locked, so that one of two submissions by the same job replaces the other.
  await lockRepository(scope.tx, repo.id);
  const id = await replaceSnapshot(scope.tx, {
    repository_id: repo.id,
    detector: detector.name,
    detector_version: detector.version,
    correlator: job.correlator,
    ref,
    commit_sha: wanted.commit,
    created_at: now,
  });
  for (const [path, dependencies] of manifests) {
    const row = { repository_id: repo.id, path, blob_sha: null, problem: null, snapshot_id: id };
    await insertManifest(scope.tx, row, [...dependencies.values()]);
  }
  const current = branchRef(repo.default_branch);
  const isCurrent = ref === current;
  const total = await countSubmitted(scope.tx, repo.id, ref);
  if (total.dependencies > fixedValue(ofRepository)) throw tooMany('manifests', `${fixedValue(ofRepository)} dependencies`);
  if (isCurrent && total.snapshots > fixedValue(snapshots)) throw tooMany('job.correlator', `${fixedValue(snapshots)} snapshots`);
  await removeOldSnapshots(scope.tx, repo.id, { except: current, limit: fixedValue(otherSnapshots) });
  if (isCurrent) await record(scope.tx, { ...inRepository(action), kind: 'dependency_graph.read', data: {} });
  return { id, isCurrent };
}

const tooMany = (field: string, bound: string) => invalid(resource, field, 'too_large', `A ref can have at most ${bound}`);

type Manifests = ReadonlyMap<string, ReadonlyMap<string, NewDependency>>;

/**
 * The dependencies of each manifest, by its path. Manifests with the same path are merged.
 * @throws Refusal 422
 */
function readManifests(wanted: NonNullable<NewSnapshot['manifests']>): Manifests {
  const found = new Map<string, Map<string, NewDependency>>();
  const errors: FieldError[] = [];
  for (const [key, { name, file, resolved = {} }] of Object.entries(wanted)) {
    const path = (file?.source_location ?? name).replace(/^\/+/, '');
    const of = found.get(path) ?? new Map<string, NewDependency>();
    found.set(path, of);
    if (path === '' || !isText(path)) errors.push(errorOf(`manifests.${key}.name`, 'a manifest has a name or a path'));
    for (const [alias, { package_url, relationship, scope = 'runtime' }] of Object.entries(resolved)) {
      const read = package_url === undefined ? undefined : readPackageUrl(package_url);
      if (!read || ![read.name, read.version, read.package_url].every(isShort))
        errors.push(errorOf(`manifests.${key}.resolved.${alias}.package_url`, 'package_url is not a package URL'));
      else {
        const known = of.get(JSON.stringify(read));
        of.set(JSON.stringify(read), {
          ...read,
          requirement: null,
          scope: known?.scope === 'runtime' ? 'runtime' : scope,
          relationship: known?.relationship === 'direct' ? 'direct' : relationshipOf(relationship),
        });
      }
      if (errors.length >= maxErrors) throw invalidFields(errors);
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
  return found;
}

/** The maximum number of errors in one reply, since a submission may have one for each of thousands of dependencies. */
const maxErrors = 20;

const errorOf = (field: string, message: string): FieldError => ({ resource, field, code: 'invalid', message });

/** Whether PostgreSQL can store a text. */
const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const isShort = (text: string | null): boolean => text === null || (isText(text) && text.length <= fixedValue(nameLength));

const relationshipOf = (wanted: 'direct' | 'indirect' | undefined) =>
  wanted === undefined ? 'unknown' : wanted === 'direct' ? 'direct' : 'transitive';
