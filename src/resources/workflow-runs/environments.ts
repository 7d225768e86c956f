import type { Db } from '#database/connect.ts';
import { findBranchProtection, findEnvironment, loadProtection, waitsFor } from '#resources/environments/index.ts';
import { lineOf, type WorkflowFile } from '#workflow-files/parse.ts';
import type { PlannedJob } from '#workflow-files/plan.ts';
import type { RunRow } from './store.ts';

/**
 * Refuses the jobs whose environment doesn't take the ref of the run, or lets nobody in without an approval or a pause: runs can't wait for
 * these yet, and must not pass them.
 */
export const refuseProtected = (
  db: Db,
  run: RunRow,
  { file, planned, now }: { file: WorkflowFile; planned: readonly PlannedJob[]; now: Date },
): Promise<PlannedJob[]> =>
  Promise.all(
    planned.map(async (job) => {
      const name = job.environment?.name;
      const problem = name === undefined || job.ended ? undefined : await problemOf(db, run, { name, now });
      const line = lineOf(file.jobs.get(job.id)?.parts);
      return problem === undefined ? job : { ...job, ended: { result: 'failure' as const, problem, line } };
    }),
  );

async function problemOf(db: Db, run: RunRow, { name, now }: { name: string; now: Date }): Promise<string | undefined> {
  const environment = await findEnvironment(db, run.repository_id, name);
  if (!environment) return undefined;
  const [protection, protectedBranches] = await Promise.all([
    loadProtection(db, environment),
    findBranchProtection(db, run.repository_id, run.ref),
  ]);
  const actor = run.triggering_actor_id ?? run.actor_id ?? undefined;
  const attempt = { ref: run.ref, protectedBranches, actor, at: now, approvals: [], passed: [] };
  const { state } = waitsFor(protection, attempt, now);
  if (state === 'ready') return undefined;
  return state === 'refused'
    ? `The environment ${name} does not take ${run.ref}`
    : `The environment ${name} demands an approval or a pause, which runs can't wait for yet`;
}
