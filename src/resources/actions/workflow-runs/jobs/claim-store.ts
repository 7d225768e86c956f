// The statements of the queue: which jobs wait, and which runners may take them.
import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { groupIncludes, groupTakesWorkflow, type RunnerRow, servesRepository } from '#resources/actions/runners/index.ts';
import { claimAssignments, isClaimable } from '../states/job-states.ts';
import type { JobRow } from '../store.ts';

type Job = Id<'workflow_jobs'>;
type Run = Id<'workflow_runs'>;

/** Runners that request jobs and are equal in everything that the queue considers. */
export type Takers = {
  /** In the order of their requests. */
  readonly ids: readonly Id<'runners'>[];
  /** Their common properties. A runner that changed in the meantime gets no job. */
  readonly kind: Pick<
    RunnerRow,
    | 'repository_id'
    | 'organization_id'
    | 'runner_group_id'
    | 'hosted_runner_id'
    | 'labels'
    | 'custom_labels'
    | 'os'
    | 'is_ephemeral'
  >;
  /** In lower case. */
  readonly labels: readonly string[];
};

/** The requesting runners that haven't changed, with their order. Single-use runners that already had a job are excluded. */
const asking = ({ ids, kind }: Takers) => sql`
  asking as (
    select a.*, row_number() over (order by array_position(${[...ids]}::bigint[], a.id)) as place from runners a
    where a.id = any (${[...ids]}::bigint[])
      and (a.repository_id, a.organization_id, a.runner_group_id, a.hosted_runner_id) is not distinct from
        (${kind.repository_id}::bigint, ${kind.organization_id}::bigint, ${kind.runner_group_id}::bigint,
          ${kind.hosted_runner_id}::bigint)
      and a.labels = ${kind.labels}::text[] and a.custom_labels = ${kind.custom_labels}::text[] and a.os = ${kind.os}
      and a.is_ephemeral = ${kind.is_ephemeral}
      and not (a.is_ephemeral and exists (select from workflow_jobs o where o.runner_id = a.id)))`;

/** Whether a row of `workflow_jobs j` of `workflow_runs w` waits for a runner. */
const waits = sql<boolean>`(${isClaimable} and w.status in ('queued', 'in_progress'))`;

/** Whether the group `runner_groups g` is the one that a job names, if any. */
export const isNamedGroup = sql<boolean>`(j.group_name is null
  or lower(j.group_name) in (lower(g.name), 'org/' || lower(g.name)))`;

/** How many jobs of the same matrix are in progress. */
export const inProgressBeside = sql<number>`(
  select count(*) from workflow_jobs o
  where o.run_id = j.run_id and o.attempt = j.attempt and o.key = j.key and o.status = 'in_progress')`;

/** Whether the runners may take a job: they serve its repository and workflow, have all its labels, and are in its group. */
const fits = ({ labels }: Takers) => sql<boolean>`
  ${waits} and j.labels <@ ${labels}::text[] and ${servesRepository}
  and (g.id is null or ${groupTakesWorkflow}) and ${isNamedGroup} and (h.id is null or h.status <> 'Deleting')
  and (j.max_parallel is null or j.max_parallel > ${inProgressBeside})`;

const queue = sql`
  workflow_jobs j
    join workflow_runs w on w.id = j.run_id
    join repositories p on p.id = j.repository_id
    join asking r on r.place = 1
    left join hosted_runners h on h.id = r.hosted_runner_id
    left join runner_groups g on g.id = coalesce(h.runner_group_id, r.runner_group_id)`;

/** The run of the oldest matching job, with its row locked. Runs locked by others are skipped, unless `waits` is set. */
export async function lockNextRun(tx: Tx, takers: Takers, { waits: isWaiting }: { waits: boolean }): Promise<Run | undefined> {
  const { rows } = await sql<{ id: Run }>`
    with ${asking(takers)}
    select w.id from ${queue} where ${fits(takers)}
    order by j.id limit 1 for no key update of w ${isWaiting ? sql`` : sql`skip locked`}`.execute(tx);
  return rows[0]?.id;
}

/**
 * Assigns the matching jobs of a run to runners: the oldest job to the first runner. The run's row is locked, so nobody else
 * changes its jobs meanwhile.
 */
export async function claimJobs(tx: Tx, takers: Takers, { run, now }: { run: Run; now: Date }): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    with ${asking(takers)},
    fitting as (
      select j.id, j.max_parallel, g.id as group_id, g.name as group_name, h.id as hosted_runner_id,
        case when j.max_parallel is not null then ${inProgressBeside} end as beside,
        row_number() over (partition by j.key order by j.id) as nth
      from ${queue} where ${fits(takers)} and w.id = ${run}),
    next as (
      select f.*, row_number() over (order by f.id) as place from fitting f
      where f.max_parallel is null or f.beside + f.nth <= f.max_parallel)
    update workflow_jobs j
    set ${claimAssignments(now)}, runner_id = a.id, runner_name = a.name, runner_os = a.os, runner_group_id = next.group_id,
      runner_group_name = next.group_name, hosted_runner_id = next.hosted_runner_id
    from next join asking a on a.place = next.place
    where j.id = next.id
    returning j.*`.execute(tx);
  return rows;
}

/** Whether one of the runners is unchanged, and whether a matching job waits. */
export async function findFitting(db: Db, takers: Takers): Promise<{ isAsked: boolean; isThere: boolean }> {
  const { rows } = await sql<{ isAsked: boolean; isThere: boolean }>`
    with ${asking(takers)}
    select exists (select from asking) as "isAsked", exists (select from ${queue} where ${fits(takers)}) as "isThere"`.execute(
    db,
  );
  return rows[0] ?? { isAsked: false, isThere: false };
}

/** A job that waits for a hosted runner. */
type WaitingForHosted = {
  readonly id: Job;
  /** Its matrix, and how many more of the matrix's jobs may be in progress; null means any number. */
  readonly matrix: string;
  readonly room: number | null;
  /** The hosted runners that may run it. */
  readonly hosted: readonly Id<'hosted_runners'>[];
};

/** Waiting jobs that name a ready hosted runner or its group, oldest first, up to a limit. */
export async function listWaitingForHosted(db: Db, limit: number): Promise<WaitingForHosted[]> {
  const { rows } = await sql<WaitingForHosted>`
    select j.id, j.run_id || ' ' || j.attempt || ' ' || j.key as matrix, j.max_parallel - ${inProgressBeside} as room,
      array_agg(h.id order by h.id) as hosted
    from workflow_jobs j
      join workflow_runs w on w.id = j.run_id
      join repositories p on p.id = j.repository_id
      join hosted_runners h on h.organization_id = p.owner_id and h.status = 'Ready'
      join runner_groups g on g.id = h.runner_group_id
    where ${waits} and j.labels <@ array[lower(h.name)] and ${groupIncludes} and ${groupTakesWorkflow} and ${isNamedGroup}
    group by j.id order by j.id limit ${limit}`.execute(db);
  return rows;
}
