// The artifact service, in the form that `@actions/artifact` expects. Runs and jobs are identified by their ids.
import { asId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import {
  artifactLimits,
  beginArtifact,
  deleteArtifact,
  findArtifactOfJob,
  finishArtifact,
  isExpired,
  listReadable,
  type WholeArtifact,
} from '#resources/actions/artifacts/index.ts';
import { blobAddress, uploadLimits } from '#resources/actions/job-uploads/index.ts';
import type { Message } from './message.ts';
import type { TwirpCall, TwirpMethods } from './twirp.ts';

/** The maximum number that the client accepts. */
const maxListed = 1_000;
const uploadTime = fixedValue(uploadLimits.uploadTime);
const downloadTime = fixedValue(artifactLimits.downloadTime);

export const artifactMethods: TwirpMethods = {
  async CreateArtifact(call, message) {
    const { change, services, links, now, job } = call;
    demandOwnJob(call, message);
    const wanted = {
      name: message.text('name'),
      contentType: message.optionalText('mime_type'),
      expiresAt: message.optionalTime('expires_at'),
    };
    const upload = await change((scope) =>
      beginArtifact(scope, job, wanted, { limits: services.resourceLimits.of(artifactLimits), now }),
    );
    const address = { origin: links.html, id: upload.id, milliseconds: uploadTime };
    return { ok: true, signed_upload_url: blobAddress({ secrets: services.secrets, now }, 'upload', address) };
  },

  async FinalizeArtifact(call, message) {
    const { change, now, job } = call;
    demandOwnJob(call, message);
    const sent = {
      name: message.text('name'),
      size: message.optionalNumber('size'),
      digest: message.optionalText('hash'),
    };
    return { ok: true, artifact_id: String(await change((scope) => finishArtifact(scope, job, sent, now))) };
  },

  async ListArtifacts(call, message) {
    const { db, now, job } = call;
    demandOwnRun(call, message);
    const id = message.optionalNumber('id_filter');
    const name = message.optionalText('name_filter');
    const rows = await listReadable(db, job.run_id, { name, id: id === undefined ? id : asId(id), now, limit: maxListed });
    return { artifacts: rows.map(present) };
  },

  async GetSignedArtifactURL(call, message) {
    const { services, links, now } = call;
    const artifact = await findNamed(call, message);
    const address = { origin: links.html, id: artifact.id, milliseconds: downloadTime };
    return { signed_url: blobAddress({ secrets: services.secrets, now }, 'artifact', address) };
  },

  async DeleteArtifact(call, message) {
    const artifact = await findNamed(call, message);
    await call.change((scope) => deleteArtifact(scope, artifact));
    return { ok: true, artifact_id: String(artifact.id) };
  },
};

const present = ({ id, run_id, job_id, name, size, created_at, digest }: WholeArtifact) => ({
  workflow_run_backend_id: String(run_id),
  workflow_job_run_backend_id: String(job_id),
  database_id: String(id),
  name,
  size: String(size),
  created_at: timestamp(created_at),
  digest,
});

/** A job may only use its own run. */
function demandOwnRun({ job }: TwirpCall, message: Message): void {
  if (message.text('workflow_run_backend_id') !== String(job.run_id)) throw forbidden('The token is not for this run');
}

function demandOwnJob(call: TwirpCall, message: Message): void {
  demandOwnRun(call, message);
  if (message.text('workflow_job_run_backend_id') !== String(call.job.id)) throw forbidden('The token is not for this job');
}

/** The artifact that a message names, from any job of the run. */
async function findNamed(call: TwirpCall, message: Message): Promise<WholeArtifact> {
  demandOwnRun(call, message);
  const { db, job, now } = call;
  const maker = Number(message.text('workflow_job_run_backend_id'));
  const found = Number.isSafeInteger(maker)
    ? await findArtifactOfJob(db, job.run_id, asId(maker), message.text('name'))
    : undefined;
  return orNotFound(found && !isExpired(found, now) ? found : undefined);
}
