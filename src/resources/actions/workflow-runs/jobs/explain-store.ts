// What `hearth explain` and `hearth doctor` read about waiting jobs.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { groupIncludes, groupTakesWorkflow, type RunnerRow, servesRepository } from '#resources/actions/runners/index.ts';
import type { WorkflowProblem } from '#workflow-files/file.ts';
import type { JobRow, RunRow } from '../store.ts';
import { inProgressBeside, isNamedGroup } from './claim-store.ts';

type Job = Id<'workflow_jobs'>;

/** A job and its run, with the concurrency groups that they wait for and the members in progress there. */
export type JobFacts = Pick<
  JobRow,
  'id' | 'name' | 'status' | 'conclusion' | 'labels' | 'group_name' | 'max_parallel' | 'runner_name' | 'queued_at' | 'plan'
> & {
  readonly run_id: RunRow['id'];
  readonly run_status: RunRow['status'];
  readonly run_conclusion: RunRow['conclusion'];
  readonly in_progress: number;
  readonly run_concurrency: HeldGroup | null;
  readonly job_concurrency: HeldGroup | null;
};

/** A concurrency group, and the run that is in progress in it. */
export type HeldGroup = { readonly name: string; readonly holder: number | null };

/** The group that a member waits for, as JSON; null if it isn't in a group, or is the member in progress. */
const heldGroup = (member: RawBuilder<boolean>) => sql<HeldGroup | null>`(
  select json_build_object('name', c.name, 'holder', (
    select o.run_id from concurrency_group_members o where o.group_id = c.id and o.status = 'in_progress' order by o.id limit 1))
  from concurrency_group_members m join concurrency_groups c on c.id = m.group_id
  where m.run_id = w.id and m.status = 'pending' and ${member})`;

/** A job of a repository by its names, regardless of case. */
export async function findJobFacts(db: Db, owner: string, name: string, job: Job): Promise<JobFacts | undefined> {
  const { rows } = await sql<JobFacts>`
    select j.id, j.name, j.status, j.conclusion, j.labels, j.group_name, j.max_parallel, j.runner_name, j.queued_at, j.plan,
      w.id as run_id, w.status as run_status, w.conclusion as run_conclusion, ${inProgressBeside} as in_progress,
      ${heldGroup(sql<boolean>`m.job_id is null`)} as run_concurrency,
      ${heldGroup(sql<boolean>`m.job_id = j.id`)} as job_concurrency
    from workflow_jobs j
      join workflow_runs w on w.id = j.run_id
      join repositories p on p.id = j.repository_id
      join accounts o on o.id = p.owner_id
    where j.id = ${job} and lower(p.name) = ${name.toLowerCase()} and lower(o.login) = ${owner.toLowerCase()}`.execute(db);
  return rows[0];
}

/** A runner that might run a job, with the properties that decide it. */
export type CandidateRunner = Pick<RunnerRow, 'name' | 'os' | 'labels' | 'custom_labels' | 'hosted_runner_id' | 'seen_at'> & {
  readonly serves: boolean;
  readonly takes: boolean;
  readonly named: boolean;
  readonly busy: boolean;
};

/** The self-hosted runners of a job's repository and organization, up to a limit. */
export async function listCandidates(db: Db, job: Job, limit: number): Promise<CandidateRunner[]> {
  const { rows } = await sql<CandidateRunner>`
    select r.name, r.os, r.labels, r.custom_labels, r.hosted_runner_id, r.seen_at, ${servesRepository} as serves,
      (g.id is null or ${groupTakesWorkflow}) as takes, coalesce(${isNamedGroup}, false) as named,
      exists (select from workflow_jobs o where o.runner_id = r.id and o.status = 'in_progress') as busy
    from workflow_jobs j
      join workflow_runs w on w.id = j.run_id
      join repositories p on p.id = j.repository_id
      join runners r on r.repository_id = p.id or r.organization_id = p.owner_id
      left join runner_groups g on g.id = r.runner_group_id
    where j.id = ${job} and r.hosted_runner_id is null order by r.id limit ${limit}`.execute(db);
  return rows;
}

/** A hosted runner that a job names, directly or by its group. */
export type HostedCandidate = {
  readonly name: string;
  readonly status: string;
  /** Why its machine couldn't be made. */
  readonly problem: string | null;
  readonly serves: boolean;
  readonly takes: boolean;
  readonly programs: number;
  readonly maximum_runners: number;
};

export async function listHostedCandidates(db: Db, job: Job, limit: number): Promise<HostedCandidate[]> {
  const { rows } = await sql<HostedCandidate>`
    select h.name, h.status, h.problem, h.maximum_runners, ${groupIncludes} as serves, ${groupTakesWorkflow} as takes,
      (select count(*) from runners r where r.hosted_runner_id = h.id) as programs
    from workflow_jobs j
      join workflow_runs w on w.id = j.run_id
      join repositories p on p.id = j.repository_id
      join hosted_runners h on h.organization_id = p.owner_id
      join runner_groups g on g.id = h.runner_group_id
    where j.id = ${job} and j.labels <@ array[lower(h.name)] and ${isNamedGroup} order by h.id limit ${limit}`.execute(db);
  return rows;
}

/** How many jobs wait and run, and how many running jobs are stuck; times in seconds. */
type JobCounts = {
  readonly waiting: number;
  readonly running: number;
  /** Jobs without a report for longer than `silence`, or cancelled before that. */
  readonly stuck: number;
  /** How long the oldest job has waited, and its name. */
  readonly longest: number;
  readonly oldest: string | null;
};

/** The latest run of the workflow at a path, and its first job that isn't over. */
type LatestRun = Pick<RunRow, 'id' | 'status' | 'conclusion' | 'created_at'> & {
  readonly problems: readonly WorkflowProblem[];
  readonly job: Job | null;
};

export async function findLatestRun(db: Db, repository: Id<'repositories'>, path: string): Promise<LatestRun | undefined> {
  const { rows } = await sql<LatestRun>`
    select w.id, w.status, w.conclusion, w.created_at, w.problems, (
      select min(j.id) from workflow_jobs j where j.run_id = w.id and j.attempt = w.attempt and j.status <> 'completed') as job
    from workflow_runs w
    where w.workflow_id = (select f.id from workflows f where f.repository_id = ${repository} and f.path = ${path})
    order by w.id desc limit 1`.execute(db);
  return rows[0];
}

export async function countOpenJobs(db: Db, { now, silence }: { now: Date; silence: number }): Promise<JobCounts> {
  const { rows } = await sql<JobCounts>`
    with open as (
      select j.* from workflow_jobs j where j.status = 'in_progress' or j.status = 'queued'),
    oldest as (
      select o.login || '/' || p.name || ' ' || j.id as name, extract(epoch from ${now}::timestamptz - j.queued_at)::int as age
      from open j
        join workflow_runs w on w.id = j.run_id and w.status in ('queued', 'in_progress')
        join repositories p on p.id = j.repository_id
        join accounts o on o.id = p.owner_id
      where j.status = 'queued' order by j.queued_at limit 1)
    select count(*) filter (where status = 'queued') as waiting, count(*) filter (where status = 'in_progress') as running,
      count(*) filter (where status = 'in_progress'
        and least(coalesce(heard_at, started_at), cancelled_at)
          < ${now}::timestamptz - make_interval(secs => ${silence})) as stuck,
      coalesce((select age from oldest), 0) as longest, (select name from oldest) as oldest
    from open`.execute(db);
  return rows[0] ?? { waiting: 0, running: 0, stuck: 0, longest: 0, oldest: null };
}
