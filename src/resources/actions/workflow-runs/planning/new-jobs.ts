// The rows of planned jobs.
import type { PlannedJob } from '#workflow-files/plan.ts';
import type { NewJob } from '../states/job-states.ts';
import type { RunRow } from '../store.ts';
import { creationOf, type KeptPlan } from './kept-plan.ts';

/**
 * The row of a planned job. A job in a concurrency group stays pending until its turn, and only then waits for its environment.
 */
export function newJobOf(run: RunRow, job: PlannedJob, now: Date): NewJob {
  const { id, name, index, ended, labels, group, maxParallel, ...planned } = job;
  const { calls, combination, total, environment, concurrency, isOptional, timeoutMinutes, failsFast } = planned;
  const kept: KeptPlan = { calls, combination, total, environment, concurrency, isOptional, timeoutMinutes, failsFast };
  return {
    transition: ended ? 'make_ended' : creationOf(job),
    ended: ended?.result,
    run_id: run.id,
    repository_id: run.repository_id,
    attempt: run.attempt,
    key: id,
    position: index,
    name,
    plan: JSON.stringify(kept),
    problem: ended?.result === 'failure' ? ended.problem : null,
    problem_line: ended?.result === 'failure' ? ended.line : null,
    labels: labels.map((label) => label.toLowerCase()),
    group_name: group,
    max_parallel: maxParallel,
    created_at: now,
  };
}
