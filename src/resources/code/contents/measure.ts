// Measures default branches: detects the languages of their files and their licence.

import type { RepositoryRow } from '#access/viewer.ts';
import type { ChangeScope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { detectorVersion } from '#resources/repositories/licenses/index.ts';
import { findRepository, lockRepository, updateRepository } from '#resources/repositories/repositories/index.ts';
import { countLanguages, findTip, largestFirst } from './languages.ts';
import { findLicenseFile, type LicenseFile } from './license.ts';
import { findMeasurement, listUnmeasured, putMeasurement } from './store.ts';

type MeasureOptions = { readonly again?: true };

/** Measures the default branch of a repository, if it is there, as `measureRepository` does. */
export async function measureBranch(scope: ChangeScope, id: Id<'repositories'>, options?: MeasureOptions): Promise<void> {
  const repository = await findRepository(scope.db, id);
  if (repository) await measureRepository(scope, repository, options);
}

/**
 * Counts the languages of a repository's default branch and finds its licence. A commit that was measured before isn't
 * measured again, unless `again` is set.
 */
export async function measureRepository(
  { db, change, git }: ChangeScope,
  repository: RepositoryRow,
  { again }: MeasureOptions = {},
): Promise<void> {
  const { id } = repository;
  const gitRepository = repoOf(git, id);
  if (!(await repositoryExists(gitRepository))) return;
  const tip = (await findTip(git, repository)) ?? null;
  const before = again ? undefined : await findMeasurement(db, id);
  const isCounted = before !== undefined && before.commit_oid === tip;
  if (isCounted && before.detector === detectorVersion) return;
  const counted = isCounted ? largestFirst(Object.entries(before.bytes)) : undefined;
  const bytes = counted ?? (tip === null ? {} : await countLanguages(gitRepository, tip));
  await using reader = await openObjects(gitRepository);
  const found = tip === null ? undefined : await findLicense(reader, tip);
  await change(async (scope) => {
    const current = await lockRepository(scope.tx, id);
    // If the default branch or its commit has changed meanwhile, the job of that change measures it.
    if (!current || ((await findTip(git, current)) ?? null) !== tip) return;
    await putMeasurement(scope.tx, id, { commit_oid: tip, bytes, detector: detectorVersion });
    const measured = { language: Object.keys(bytes)[0] ?? null, license: found?.license.key ?? null };
    if (measured.language !== current.language || measured.license !== current.license)
      await updateRepository(scope.tx, id, measured);
  });
}

/** The licence file of a commit. A root folder that is too large to read counts as one without. */
async function findLicense(reader: ObjectReader, tip: Oid): Promise<LicenseFile | undefined> {
  try {
    return await findLicenseFile(reader, tip);
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return undefined;
    throw error;
  }
}

const batchSize = 500;

/** Measures the repositories that this version of the detector hasn't measured. Returns their number. */
export async function measureUnmeasured(
  scope: ChangeScope,
  onFailure: (error: unknown, repository: Id<'repositories'>) => void,
): Promise<number> {
  let done = 0;
  for (let after = 0; ; ) {
    const ids = await listUnmeasured(scope.db, { detector: detectorVersion, after, limit: batchSize });
    for (const id of ids) {
      after = id;
      done += 1;
      try {
        await measureBranch(scope, id);
      } catch (error) {
        onFailure(error, id);
      }
    }
    if (ids.length < batchSize) return done;
  }
}
