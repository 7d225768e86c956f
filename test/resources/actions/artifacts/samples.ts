import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { artifact, artifactArchive } from '#resources/actions/artifacts/path-resources.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { pushWorkflow } from '../workflow-runs/setting.ts';

/** An artifact of a run's first job; no runner has made it. */
async function makeArtifact({ world, db, repo }: SampleStage): Promise<number> {
  await pushWorkflow(world, repo);
  const ofRepo = db.selectFrom('workflow_jobs').selectAll().where('repository_id', '=', repo.id).orderBy('id', 'desc');
  const job = await ofRepo.executeTakeFirstOrThrow();
  const { now } = world.clock;
  const values = {
    repository_id: repo.id,
    run_id: job.run_id,
    attempt: job.attempt,
    job_id: job.id,
    name: 'made',
    content_type: 'application/zip',
    object_key: `artifacts-${job.run_id}/1`,
    size: 1,
    digest: `sha256:${'0'.repeat(64)}`,
    expires_at: new Date(now.getTime() + 86_400_000),
    created_at: now,
    updated_at: now,
  };
  return (await db.insertInto('artifacts').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [artifact, async (stage) => ({ artifact_id: String(await makeArtifact(stage)) })],
  [artifactArchive, async (stage) => ({ artifact_id: String(await makeArtifact(stage)), archive_format: 'zip' })],
]);
