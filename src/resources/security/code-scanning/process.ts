// Reads uploaded files in the background, one after the other. Their runs become analyses, and the results become alerts.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { enqueue, job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { findRepository, lockRepository } from '#resources/repositories/repositories/index.ts';
import { applyRun, type NamedResult } from './apply.ts';
import { checkedPullOf, checkPull } from './checks.ts';
import { fingerprintsOf } from './fingerprints.ts';
import { codeScanningLimits } from './limits.ts';
import { gatherRuns, type ReadRun } from './results.ts';
import { notSarif } from './sarif.ts';
import { readWhole } from './unpack.ts';
import {
  type AnalysisSet,
  findUpload,
  findUploadForUpdate,
  insertAnalysis,
  listLastAnalyses,
  removeEarlierAnalyses,
  saveAlertNumbers,
  type UploadRow,
  updateUpload,
} from './upload-store.ts';

type Repository = NonNullable<Awaited<ReturnType<typeof findRepository>>>;

/** All files share a queue, so that one is in memory at a time. Accounts take turns in it. */
const options = { queue: 'code-scanning' };

/** Queues a file. It is read after the caller's transaction has ended. */
export const enqueueProcessing = (tx: Tx, upload: Id<'code_scanning_uploads'>, owner: Id<'accounts'>): Promise<void> =>
  enqueue(tx, processUpload, { upload }, { ...options, share: owner });

export const processUpload = job<{ upload: Id<'code_scanning_uploads'> }, JobContext>({
  name: 'code-scanning.process-upload',
  attempts: 10,
  async run({ upload: id }, context) {
    const upload = await findUpload(context.db, id);
    const repo = upload?.state === 'pending' ? await findRepository(context.db, upload.repository_id) : undefined;
    if (!upload || !repo || !(await repositoryExists(repoOf(context.services.git, repo.id)))) return;
    try {
      await processFile(context, repo, upload);
    } catch (error) {
      // Without this, the upload would be shown as pending forever.
      if (context.isLastAttempt) await fail(context, upload, 'The server failed to process the file. Upload it again.');
      throw error;
    }
  },
});

const fail = ({ change }: JobContext, { id }: UploadRow, message: string): Promise<unknown> =>
  change((scope) => updateUpload(scope.tx, id, { state: 'failed', errors: [message] }));

async function processFile(context: JobContext, repo: Repository, upload: UploadRow): Promise<void> {
  const { change, now } = context;
  const runs = await readRuns(context, upload);
  if (runs instanceof Refusal) {
    await fail(context, upload, runs.message);
    return;
  }
  const named = await nameResults(context, repo, upload, runs);
  const pull = await checkedPullOf(context.scope, repo, upload);
  await change(async (scope) => {
    await lockRepository(scope.tx, repo.id);
    if ((await findUploadForUpdate(scope.tx, upload))?.state !== 'pending') return;
    for (const [at, run] of runs.entries()) {
      await analyse(scope, { repo, upload, head: pull?.commit, run, index: at, now }, named[at] ?? []);
      if (pull) await checkPull(scope.tx, { repo, pull, now }, { ref: upload.ref, tool: run.tool });
    }
    await updateUpload(scope.tx, upload.id, { state: 'complete' });
  });
}

/** The runs of an uploaded file, or why it has none. */
async function readRuns({ services }: Pick<JobContext, 'services'>, upload: UploadRow): Promise<readonly ReadRun[] | Refusal> {
  const { objects, resourceLimits } = services;
  const packed = await objects.open(upload.object_key);
  if (!packed) return notSarif('The file is gone');
  const gathered = gatherRuns({ toolName: upload.tool_name, checkoutUri: upload.checkout_uri });
  try {
    await readWhole(packed, gathered, resourceLimits.of(codeScanningLimits));
    return gathered.runs;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The results of each run, with what identifies their alerts. */
async function nameResults(
  { services }: Pick<JobContext, 'services'>,
  repo: Pick<Repository, 'id'>,
  upload: Pick<UploadRow, 'commit_sha'>,
  runs: readonly ReadRun[],
): Promise<NamedResult[][]> {
  await using reader = await openObjects(repoOf(services.git, repo.id), { isBulk: true });
  const named: NamedResult[][] = [];
  for (const { tool, results } of runs) {
    const fingerprints = await fingerprintsOf(reader, upload.commit_sha, tool, results);
    named.push(results.map((result, at) => ({ result, fingerprint: fingerprints[at] ?? '' })));
  }
  return named;
}

type Analysing = {
  repo: Repository;
  upload: UploadRow;
  /** The head of the pull request that the analysis is about. */
  head: Oid | undefined;
  run: ReadRun;
  index: number;
  now: Date;
};

async function analyse(
  scope: WriteScope,
  { repo, upload, head, run, index, now }: Analysing,
  named: readonly NamedResult[],
): Promise<void> {
  const { ref, commit_sha: commit, uploader_id } = upload;
  const set: AnalysisSet = { repository_id: repo.id, ref, tool_name: run.tool, category: run.category };
  const { id: analysis } = await insertAnalysis(scope.tx, {
    ...set,
    upload_id: upload.id,
    run_index: index,
    commit_sha: commit,
    pull_head_sha: head ?? null,
    tool_version: run.toolVersion,
    tool_guid: run.toolGuid,
    results_count: run.resultsCount,
    rules_count: run.rulesCount,
    warning: run.warning,
    alert_numbers: [],
    created_at: now,
  });
  const numbers = await applyRun(scope, { repo, ref, commit, analysis, actor: uploader_id ?? undefined, now }, run, named);
  await saveAlertNumbers(scope.tx, analysis, numbers);
  await removeEarlierAnalyses(scope.tx, set, fixedValue(codeScanningLimits.analyses));
}

type Undoing = { set: AnalysisSet; deleted: Id<'code_scanning_analyses'> };

/** Applies the previous analysis after the last analysis of a set was deleted. */
export const enqueueUndoing = (tx: Tx, undoing: Undoing, owner: Id<'accounts'>): Promise<void> =>
  enqueue(tx, undoAnalysis, undoing, { ...options, share: owner });

export const undoAnalysis = job<Undoing, JobContext>({
  name: 'code-scanning.undo-analysis',
  attempts: 10,
  async run({ set, deleted }, context) {
    const [last] = await listLastAnalyses(context.db, set, 1);
    // A later analysis arrived meanwhile, and has already been applied.
    if (!last || last.id > deleted) return;
    const [upload, repo] = await Promise.all([
      findUpload(context.db, last.upload_id),
      findRepository(context.db, set.repository_id),
    ]);
    const runs = upload && repo ? await readRuns(context, upload) : undefined;
    const run = runs === undefined || runs instanceof Refusal ? undefined : runs[last.run_index];
    if (!upload || !repo || !run) return;
    const [named = []] = await nameResults(context, repo, upload, [run]);
    await context.change(async (scope) => {
      await lockRepository(scope.tx, repo.id);
      const [still] = await listLastAnalyses(scope.tx, set, 1);
      if (still?.id !== last.id) return;
      const applying = { repo, ref: set.ref, commit: last.commit_sha, actor: undefined, now: context.now };
      await applyRun(scope, { ...applying, analysis: last.id, undoing: deleted }, run, named);
    });
  },
});
