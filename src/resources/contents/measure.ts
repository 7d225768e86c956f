// What is told of the default branch's files: their languages and their licence.
import { isGitError } from '#git/errors.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { JobContext } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { detectorVersion } from '#resources/licenses/index.ts';
import { findRepository, lockRepository, updateRepository } from '#resources/repositories/index.ts';
import { countLanguages, findTip, largestFirst } from './languages.ts';
import { findLicenseFile, type LicenseFile } from './license.ts';
import { findMeasured, listUnmeasured, putMeasured } from './store.ts';

export type Measuring = Pick<JobContext, 'db' | 'change'> & { git: GitStore };

/**
 * Counts the languages of a repository's default branch and finds its licence. What is known about the same commit already isn't
 * looked for again, unless `again` says so.
 */
export async function measureBranch(
  { db, change, git }: Measuring,
  id: Id<'repositories'>,
  { again }: { again?: true } = {},
): Promise<void> {
  const repository = await findRepository(db, id);
  const disk = repoOf(git, id);
  if (!repository || !(await repositoryExists(disk))) return;
  const tip = (await findTip(git, repository)) ?? null;
  const before = again ? undefined : await findMeasured(db, id);
  const isCounted = before !== undefined && before.commit_oid === tip;
  if (isCounted && before.detector === detectorVersion) return;
  const counted = isCounted ? largestFirst(Object.entries(before.bytes)) : undefined;
  const bytes = counted ?? (tip === null ? {} : await countLanguages(disk, tip));
  await using reader = await openObjects(disk);
  const found = tip === null ? undefined : await findLicense(reader, tip);
  await change(async (tx) => {
    const present = await lockRepository(tx, id);
    // After another push or choice of a branch, the job of that measures, or has measured already.
    if (!present || ((await findTip(git, present)) ?? null) !== tip) return;
    await putMeasured(tx, id, { commit_oid: tip, bytes, detector: detectorVersion });
    await updateRepository(tx, id, { language: Object.keys(bytes)[0] ?? null, license: found?.license.key ?? null });
  });
}

/** The licence file of a commit. A root folder that is too large to be looked through is taken for one without. */
async function findLicense(reader: ObjectReader, tip: Oid): Promise<LicenseFile | undefined> {
  try {
    return await findLicenseFile(reader, tip);
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return undefined;
    throw error;
  }
}

const batchSize = 500;

/** Measures the branches that this version of the detector hasn't looked at. Returns how many there were. */
export async function measureUnmeasured(
  context: Measuring,
  onFailure: (error: unknown, repository: Id<'repositories'>) => void,
): Promise<number> {
  let done = 0;
  for (let after = 0; ; ) {
    const ids = await listUnmeasured(context.db, { detector: detectorVersion, after, limit: batchSize });
    for (const id of ids) {
      after = id;
      done += 1;
      try {
        await measureBranch(context, id);
      } catch (error) {
        onFailure(error, id);
      }
    }
    if (ids.length < batchSize) return done;
  }
}
