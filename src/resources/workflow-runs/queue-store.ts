// The statements of the queue: which jobs wait, and who may take them.
import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { groupIncludes, groupTakesWorkflow, servesRepository } from '#resources/runners/index.ts';

type Job = Id<'workflow_jobs'>;

/** A runner that asks for a job, as far as the queue looks at it. */
export type Taker = {
  readonly id: Id<'runners'>;
  readonly name: string;
  readonly os: string;
  /** In lower case. */
  readonly labels: readonly string[];
  readonly isEphemeral: boolean;
};

/** Whether a row of `workflow_jobs j` of `workflow_runs w` waits for a runner. */
const waits = sql<boolean>`(j.status = 'queued' and w.status in ('queued', 'in_progress'))`;

/** Whether the group `runner_groups g` is the one that a job names, if any. */
export const isNamedGroup = sql<boolean>`(j.group_name is null or lower(j.group_name) in (lower(g.name), 'org/' || lower(g.name)))`;

/** How many jobs of the same matrix are in progress. */
export const inProgressBeside = sql<number>`(
  select count(*) from workflow_jobs o
  where o.run_id = j.run_id and o.attempt = j.attempt and o.key = j.key and o.status = 'in_progress')`;

/** What a runner may take: jobs of repositories and workflows that it is for, with no other labels than its own, and in its group. */
const fits = (taker: Taker) => sql<boolean>`
  ${waits} and j.labels <@ ${taker.labels}::text[] and ${servesRepository}
  and (g.id is null or ${groupTakesWorkflow}) and ${isNamedGroup} and (h.id is null or h.status <> 'Deleting')
  and (j.max_parallel is null or j.max_parallel > ${inProgressBeside})
  and not (${taker.isEphemeral} and exists (select from workflow_jobs o where o.runner_id = r.id))`;

const queue = (taker: Taker) => sql`
  workflow_jobs j
    join workflow_runs w on w.id = j.run_id
    join repositories p on p.id = j.repository_id
    join runners r on r.id = ${taker.id}
    left join hosted_runners h on h.id = r.hosted_runner_id
    left join runner_groups g on g.id = coalesce(h.runner_group_id, r.runner_group_id)`;

/**
 * Gives the oldest waiting job that fits to a runner, with the row of its run locked. A run that others hold is passed over, unless the runner
 * waits; where it waited for a job that another one took, it gets none. See `hasFitting`.
 */
export async function claimJob(
  tx: Tx,
  taker: Taker,
  { now, waits: isWaiting }: { now: Date; waits: boolean },
): Promise<Job | undefined> {
  const { rows } = await sql<{ id: Job }>`
    with next as (
      select j.id, g.id as group_id, g.name as group_name, h.id as hosted_runner_id from ${queue(taker)}
      where ${fits(taker)} order by j.id limit 1 for no key update of w ${isWaiting ? sql`` : sql`skip locked`})
    update workflow_jobs j
    set status = 'in_progress', runner_id = ${taker.id}, runner_name = ${taker.name}, runner_os = ${taker.os},
      runner_group_id = next.group_id, runner_group_name = next.group_name, hosted_runner_id = next.hosted_runner_id, started_at = ${now}, heard_at = null
    from next where j.id = next.id and j.status = 'queued'
    returning j.id`.execute(tx);
  return rows[0]?.id;
}

/** Whether a job waits that fits. */
export async function hasFitting(db: Db, taker: Taker): Promise<boolean> {
  const { rows } = await sql`select 1 from ${queue(taker)} where ${fits(taker)} limit 1`.execute(db);
  return rows.length > 0;
}

/** A job that waits for a hosted runner. */
export type WaitingForHosted = {
  readonly id: Job;
  /** Its matrix, and how many more jobs of that may be in progress; null: any number. */
  readonly matrix: string;
  readonly room: number | null;
  /** The hosted runners that may run it. */
  readonly hosted: readonly Id<'hosted_runners'>[];
};

/** Jobs that wait and name a hosted runner that is ready, or its group; the oldest first, up to some. */
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
