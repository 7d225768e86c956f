import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { keyOfLog, keyOfLogArchive } from '#resources/actions/workflow-runs/logs/address.ts';
import {
  concurrencyGroup,
  handedOutLog,
  handedOutLogArchive,
  runAttempt,
  workflowJob,
  workflowRun,
} from '#resources/actions/workflow-runs/path-resources.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { ci, ciPath, pushWorkflow } from './setting.ts';

/** A run that is over: it was cancelled. Its first job has a log. */
async function makeRun({ world, repo, db, client }: SampleStage, base: string) {
  await pushWorkflow(world, repo);
  const ofRepo = db.selectFrom('workflow_runs').select('id').where('repository_id', '=', repo.id).orderBy('id', 'desc');
  const { id } = await ofRepo.executeTakeFirstOrThrow();
  await client.post(`${base}/actions/runs/${id}/force-cancel`);
  const logged = db
    .updateTable('workflow_jobs')
    .set({ log_rows: 1, log_bytes: 5 })
    .where('run_id', '=', id)
    .where('key', '=', 'build');
  const job = await logged.returning('id').executeTakeFirstOrThrow();
  await db.insertInto('workflow_job_log_parts').values({ job_id: job.id, first_row: 0, text: 'made\n' }).execute();
  return { run: id, job: job.id };
}

const makeOwn = (stage: SampleStage) => makeRun(stage, `/repos/${stage.org.login}/${stage.repo.name}`);
const sealing = ({ world }: SampleStage) => ({ secrets: world.hearth.services.secrets, now: world.clock.now });

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [workflowRun, async (stage, base) => ({ run_id: String((await makeRun(stage, base)).run) })],
  [runAttempt, async () => ({ attempt_number: '1' })],
  [
    concurrencyGroup,
    async ({ world, repo }) => {
      const name = fresh('group');
      await pushWorkflow(world, repo, { [ciPath]: `${ci}concurrency: ${name}\n` });
      return { concurrency_group_name: name };
    },
  ],
  [workflowJob, async (stage, base) => ({ job_id: String((await makeRun(stage, base)).job) })],
  [handedOutLog, async (stage) => ({ log_key: keyOfLog(sealing(stage), (await makeOwn(stage)).job) })],
  [
    handedOutLogArchive,
    async (stage) => {
      const { run } = await makeOwn(stage);
      return { log_archive_key: keyOfLogArchive(sealing(stage), { id: run, attempt: 1 }) };
    },
  ],
]);
