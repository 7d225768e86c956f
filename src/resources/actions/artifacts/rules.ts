import type { File } from '#endpoint/call.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { badRequest, conflict, gone, notFound, orNotFound } from '#lib/refusal.ts';
import { addDays } from '#lib/time.ts';
import { beginUpload, dropUpload, removeObjectsLater, takeUpload, type UploadRow } from '#resources/actions/job-uploads/index.ts';
import { artifactGroupOf, type JobRow, loadRuns } from '#resources/actions/workflow-runs/index.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { artifactLimits } from './limits.ts';
import {
  countArtifacts,
  findArtifactForUpdate,
  findArtifactOfJob,
  findBegun,
  insertArtifact,
  removeArtifact,
  setObject,
  type WholeArtifact,
} from './store.ts';

const maxArtifacts = fixedValue(artifactLimits.artifacts);
const maxName = 255;
/** Characters that file systems don't allow in names (the public API's rule), and control characters. */
const forbidden = /[\\/":<>|*?\p{Cc}]/u;

/** The artifact that a job wants to create. */
type NewArtifact = {
  readonly name: string;
  readonly contentType: string | undefined;
  /** If omitted, the artifact expires after the number of days in the settings, which is also the maximum. */
  readonly expiresAt: Date | undefined;
};

/**
 * Starts an artifact of a running job. Others can read it after its upload is complete and `finishArtifact` was called.
 * @throws Refusal 409 if the attempt already has an artifact with this name
 */
export async function beginArtifact(
  scope: WriteScope,
  job: JobRow,
  { name, contentType, expiresAt }: NewArtifact,
  { limits, now }: { limits: LimitValues<typeof artifactLimits>; now: Date },
): Promise<UploadRow> {
  checkName(name);
  const run = orNotFound((await loadRuns(scope.tx, [job.run_id])).get(job.run_id));
  const begun = await findBegun(scope.tx, job.id, name);
  // The client is retrying.
  if (begun?.upload_id) await dropUpload(scope, begun.upload_id);
  const { total, clash } = await countArtifacts(scope.tx, job, name);
  if (clash) throw conflict('an artifact with this name already exists on the workflow run');
  if (total >= maxArtifacts) throw badRequest(`A job can have at most ${maxArtifacts} artifacts (results.artifacts)`);
  const { retentionDays } = await loadActionsPolicy(scope.tx, { id: run.repository_id, owner_id: run.owner_id });
  const latest = addDays(now, retentionDays);
  if (expiresAt && expiresAt <= now) throw badRequest('expires_at must be in the future');
  const upload = await beginUpload(scope, {
    job: job.id,
    group: artifactGroupOf(run.id),
    most: { bytes: limits.artifactSize, name: 'results.artifactSize' },
    now,
  });
  await insertArtifact(scope.tx, {
    repository_id: run.repository_id,
    run_id: run.id,
    attempt: job.attempt,
    job_id: job.id,
    name,
    content_type: contentType ?? 'application/zip',
    upload_id: upload.id,
    expires_at: expiresAt && expiresAt < latest ? expiresAt : latest,
    created_at: now,
    updated_at: now,
  });
  return upload;
}

function checkName(name: string): void {
  if (name === '' || name.length > maxName || forbidden.test(name))
    throw badRequest(`The name of an artifact must have 1 to ${maxName} characters, and none of \\ / " : < > | * ?`);
}

/** What a client reports about its upload. */
type Sent = { readonly name: string; readonly size: number | undefined; readonly digest: string | undefined };

/**
 * Finishes an artifact whose upload is complete. Repeating it changes nothing.
 * @throws Refusal 400 if the received bytes differ from the client's report
 */
export async function finishArtifact(scope: WriteScope, job: JobRow, sent: Sent, now: Date): Promise<WholeArtifact['id']> {
  const { name, size, digest } = sent;
  const begun = await findBegun(scope.tx, job.id, name);
  if (!begun?.upload_id) return orNotFound(await findArtifactOfJob(scope.tx, job.run_id, job.id, name)).id;
  if ((await countArtifacts(scope.tx, job, name)).clash)
    throw conflict('an artifact with this name already exists on the workflow run');
  const { upload_id } = begun;
  // The upload is detached first, since deleting it would delete the artifact too.
  const whole = await takeUpload(scope, upload_id, (object) => setObject(scope.tx, begun.id, { ...object, updated_at: now }));
  if (!whole) throw badRequest('The upload is not complete');
  if ((size !== undefined && size !== whole.size) || (digest !== undefined && digest !== whole.digest))
    throw badRequest('The received bytes differ in size or hash from what the client reported');
  return begun.id;
}

/** Deletes an artifact, with its bytes. */
export async function deleteArtifact(scope: WriteScope, { id }: Pick<WholeArtifact, 'id'>): Promise<void> {
  const artifact = orNotFound(await findArtifactForUpdate(scope.tx, { id }));
  await removeArtifact(scope.tx, id);
  await removeObjectsLater(scope, artifact.object_key === null ? [] : [artifact.object_key]);
}

/** Whether an artifact can no longer be read. */
export const isExpired = ({ object_key, expires_at }: WholeArtifact, now: Date): boolean =>
  object_key === null || expires_at <= now;

/** @throws Refusal 410 for an artifact that can no longer be read */
export function refuseExpired(artifact: WholeArtifact, now: Date): void {
  if (isExpired(artifact, now)) throw gone('Artifact has expired');
}

/** The file of an artifact, for a reply. */
export function fileOf({ objects }: Pick<Services, 'objects'>, artifact: WholeArtifact): File {
  const { object_key, size, digest, updated_at } = artifact;
  if (object_key === null) throw notFound();
  return {
    size,
    etag: `"${digest.replace('sha256:', '')}"`,
    modified: updated_at,
    open: (range) => objects.open(object_key, range),
  };
}

const zip = 'application/zip';
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;

/**
 * The headers of an artifact as a file. Jobs choose its type, so browsers download it and never show it as a page of this server.
 * Archives have a type of their own, so that clients can distinguish them from other files.
 */
export function headersOf({ name, content_type }: WholeArtifact): Record<string, string> {
  const isArchive = content_type === zip;
  const file = isArchive ? `${name}.zip` : name;
  const plain = file.replace(/[^\w.+ ()-]/g, '_');
  return {
    'content-type': isArchive ? zip : 'application/octet-stream',
    'content-disposition':
      `attachment; filename="${plain}"; ` + `filename*=UTF-8''${encodeURIComponent(file).replace(/['()*]/g, percent)}`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
}
