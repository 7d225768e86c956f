// The differences between the dependencies of two commits.

import type { Db } from '#database/connect.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Caller } from '#lib/caller.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { unprocessable } from '#lib/refusal.ts';
import { periodicYield } from '#lib/turns.ts';
import { listManifestFiles, type ReadFile, readFiles } from './files.ts';
import { dependencyLimits } from './limits.ts';
import { packageUrl } from './package-urls.ts';
import type { Dependency } from './parsers/dependency.ts';
import { listSubmittedOnlyFor, type SubmittedDependency } from './store.ts';

/** A dependency of one of the two commits. `version` is the file's requirement if it names no exact version. */
export type DependencyChange = {
  change_type: 'added' | 'removed';
  manifest: string;
  ecosystem: string;
  name: string;
  version: string;
  package_url: string | null;
  license: string | null;
  scope: Dependency['scope'];
  /** Whether `version` is an exact version, in an ecosystem that advisories support. */
  is_comparable: boolean;
};

const room = fixedValue(dependencyLimits.ofRepository);
const bytes = fixedValue(dependencyLimits.comparedSize);

/**
 * The dependencies that were added and removed between two commits: in files that differ, and in snapshots that the same job
 * submitted for both. `manifest` restricts them to one path.
 * @throws Refusal 422 if a file of the later commit can't be read, since its additions would be missing
 */
export async function listDependencyChanges(
  {
    db,
    gitRepository,
    repository,
    caller,
  }: { db: Db; gitRepository: GitRepository; repository: Id<'repositories'>; caller: Caller },
  { from, to, manifest }: { from: Oid; to: Oid; manifest: string | undefined },
): Promise<DependencyChange[]> {
  const isWanted = ({ path }: { path: string }) => manifest === undefined || path === manifest;
  const [before, after] = await Promise.all([listManifestFiles(gitRepository, from), listManifestFiles(gitRepository, to)]);
  const [past, present] = [keyed(before, ({ path }) => path), keyed(after, ({ path }) => path)];
  const differing = <File extends { path: string; oid: Oid }>(files: File[], others: ReadonlyMap<string, { oid: Oid }>) =>
    files.filter((file) => isWanted(file) && others.get(file.path)?.oid !== file.oid);
  const [removed, added] = [
    await readFiles(gitRepository, differing(before, present), { room, bytes, caller }),
    await readFiles(gitRepository, differing(after, past), { room, bytes, caller }),
  ];
  const unread = added.find(({ problem }) => problem !== null);
  if (unread) throw unprocessable(`The comparison is incomplete: ${unread.path} ${unread.problem}.`);
  const submitted = (commit: Oid, other: Oid) => listSubmittedOnlyFor(db, repository, { commit, other, limit: room });
  const [withdrawn, entered] = await Promise.all([submitted(from, to), submitted(to, from)]);
  return [
    ...(await changesOf('removed', onlyIn(removed, added))),
    ...(await changesOf('removed', withdrawn.filter(isWanted))),
    ...(await changesOf('added', onlyIn(added, removed))),
    ...(await changesOf('added', entered.filter(isWanted))),
  ].sort((one, other) => compareText(one.manifest, other.manifest) || compareText(one.name, other.name));
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

type Change = Omit<SubmittedDependency, 'license'> & Partial<Pick<Dependency, 'requirement' | 'license'>>;

/** The dependencies of files that are missing in the files with the same paths on the other side. */
function onlyIn(files: readonly ReadFile[], others: readonly ReadFile[]): Change[] {
  const known = keyed(others, ({ path }) => path);
  return files.flatMap(({ path, dependencies }) => {
    const there = new Set(known.get(path)?.dependencies.map(keyOf));
    return dependencies.filter((one) => !there.has(keyOf(one))).map((one) => ({ package_url: null, ...one, path }));
  });
}

const keyOf = ({ ecosystem, name, version, requirement }: Dependency): string =>
  JSON.stringify([ecosystem, name, version ?? requirement]);

async function changesOf(change_type: DependencyChange['change_type'], rows: readonly Change[]): Promise<DependencyChange[]> {
  const yieldNow = periodicYield();
  const changes: DependencyChange[] = [];
  for (const row of rows) {
    changes.push({
      change_type,
      manifest: row.path,
      ecosystem: row.ecosystem,
      name: row.name,
      version: row.version ?? row.requirement ?? '',
      package_url: packageUrl(row) ?? null,
      license: row.license ?? null,
      scope: row.scope,
      is_comparable: row.version !== null && row.package_url === null,
    });
    await yieldNow();
  }
  return changes;
}
