import { countOpenJobs, runLimits } from '#resources/actions/workflow-runs/index.ts';
import { counted } from '../command.ts';
import type { CheckContext, Diagnosis } from './diagnosis.ts';

/** Seconds after which a job that waits for a runner counts as stuck. */
const longWait = 60 * 60;
/** Seconds that the sweeps may take beyond the time after which a job fails. They run once a minute. */
const grace = 300;

/** Checks that workflow jobs find runners, and that runners of running jobs still report. */
export async function workflowJobs({ db, hearth }: CheckContext, now: Date): Promise<Diagnosis> {
  const silence = hearth.services.resourceLimits.of(runLimits).silence / 1_000 + grace;
  const { waiting, running, stuck, longest, oldest } = await countOpenJobs(db, { now, silence });
  const detail = [`${waiting} waiting, ${running} in progress`];
  const waitsLong = longest > longWait;
  if (waitsLong)
    detail.push(`${oldest} waits for ${Math.floor(longest / 60)} minutes: \`hearth explain JOB ${oldest}\` says why`);
  if (stuck > 0) detail.push(`${counted(stuck, 'job')} in progress not heard of, and not given up: do background jobs run?`);
  return { check: 'workflow jobs', ok: !waitsLong && stuck === 0, detail: detail.join('; ') };
}
