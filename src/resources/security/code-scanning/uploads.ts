import { randomBytes, randomUUID } from 'node:crypto';
import type { RepositoryAction } from '#access/action.ts';
import type { ChangeScope, Needs } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import { isOid, type Oid } from '#git/objects/oid.ts';
import { findRef } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Caller } from '#lib/caller.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import { invalid, Refusal } from '#lib/refusal.ts';
import { codeScanningLimits } from './limits.ts';
import { enqueueProcessing } from './process.ts';
import { gatherRuns } from './results.ts';
import type { NewSarif } from './schemas.ts';
import { decodePacked, readBeginning, readWhole } from './unpack.ts';
import { insertUpload, type UploadRow } from './upload-store.ts';

/**
 * Accepts a results file, which is read in the background. Its start is checked immediately, or all of it if the request asks for
 * validation.
 * @throws Refusal 400 if it isn't SARIF, 404 if the repository has no such ref or commit, 413 if it is too large
 */
export async function receiveSarif(
  { change, git, services }: ChangeScope & Needs<'objects' | 'resourceLimits' | 'sarifLimiter'>,
  caller: Caller,
  { repo, by, now }: RepositoryAction,
  wanted: NewSarif,
): Promise<UploadRow> {
  const { objects, resourceLimits, sarifLimiter } = services;
  const { ref, checkout_uri = null, tool_name = null } = wanted;
  if (checkout_uri !== null && !URL.canParse(checkout_uri)) throw invalid('Sarif', 'checkout_uri', 'invalid');
  const commit = await findAnalysed(repoOf(git, repo.id), wanted);
  const packed = decodePacked(wanted.sarif);
  const gathered = gatherRuns({ toolName: tool_name, checkoutUri: checkout_uri });
  const limits = resourceLimits.of(codeScanningLimits);
  if (wanted.validate) await withSlot(sarifLimiter, caller, () => readWhole(packed, gathered, limits));
  else await readBeginning(packed, gathered, limits);
  const key = `${repo.id}/${randomBytes(16).toString('hex')}`;
  const { digest } = await objects.put(key, (sink) => sink(packed));
  try {
    return await change(async (scope) => {
      const row = await insertUpload(scope.tx, {
        repository_id: repo.id,
        sarif_id: randomUUID(),
        commit_sha: commit,
        ref,
        checkout_uri,
        tool_name,
        object_key: key,
        digest,
        uploader_id: by.account?.id ?? null,
        created_at: now,
      });
      await enqueueProcessing(scope.tx, row.id, repo.owner_id);
      return row;
    });
  } catch (error) {
    await objects.remove(key);
    throw error;
  }
}

/** The analysed commit. @throws Refusal 404 if the repository doesn't contain it, or the ref */
async function findAnalysed(
  gitRepository: GitRepository,
  { commit_sha, ref }: Pick<NewSarif, 'commit_sha' | 'ref'>,
): Promise<Oid> {
  if (!(await findRef(gitRepository, ref))) throw missing('ref', `ref '${ref}' not found in this repository`);
  const commit = commit_sha.toLowerCase();
  await using reader = await openObjects(gitRepository);
  if (!isOid(commit) || (await reader.findInfo(commit))?.type !== 'commit') throw missing('commit_sha', 'commit not found');
  return commit;
}

const missing = (field: string, message: string): Refusal =>
  new Refusal('not_found', message, [{ resource: 'Sarif', field, code: 'missing' }]);
