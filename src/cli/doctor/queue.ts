import { sql } from 'kysely';
import { counted } from '../command.ts';
import type { CheckContext, Diagnosis } from './diagnosis.ts';

/** Seconds after which a due job counts as stuck while a server runs. */
const maxDelaySeconds = 300;

type Counts = { waiting: number; events: number; late: number; servers: number; workers: number };
type GivenUp = { task: string; jobs: number; error: string | null };

/** Checks that background jobs run, that events are delivered, and that no job has failed for good. */
export async function jobs(context: CheckContext): Promise<Diagnosis> {
  const { waiting, events, late, servers, workers } = await countJobs(context);
  const givenUpJobs = await listGivenUp(context);
  const isStuck = late > maxDelaySeconds && servers > 0;
  const waits = events > 0 ? `${waiting} waiting, and ${counted(events, 'event')}` : `${waiting} waiting`;
  const detail = [`${waits}${late > 0 ? `, the oldest for ${late} s` : ''}`];
  if (isStuck)
    detail.push(workers > 0 ? 'they are not taken' : 'nothing does the background jobs of the server: start `hearth work`');
  else if (servers === 0) detail.push('no server runs');
  detail.push(...givenUpJobs.map(({ task, jobs, error }) => `given up: ${counted(jobs, 'job')} ${task} (${firstLine(error)})`));
  return { check: 'jobs', ok: !isStuck && givenUpJobs.length === 0, detail: detail.join('; ') };
}

/** Resets the attempts of jobs that failed for good. Returns their number. */
export async function retryJobs({ db, hearth }: CheckContext): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with given_up as materialized (select id from jobs.jobs where ${givenUp(hearth)}),
    forgotten as (delete from interrupted_jobs where job_id in (select id from given_up))
    select id from jobs.reschedule_jobs(array(select id from given_up), run_at => now(), attempts => 0)`.execute(db);
  return rows.length;
}

async function countJobs({ db }: CheckContext): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select j.waiting, e.events, greatest(j.late, e.late, 0)::int as late,
      ${connected('hearth')} as servers, ${connected('hearth workers')} as workers
    from (
      select count(*) filter (where attempts < max_attempts) as waiting,
        max(extract(epoch from now() - run_at)) filter (where attempts < max_attempts and locked_at is null) as late
      from jobs.jobs) j, (
      select count(distinct event_id) as events,
        (select extract(epoch from now() - created_at) from events where id = min(event_id)) as late
      from (select event_id from undispatched_events union all select event_id from event_deliveries) w) e`.execute(db);
  const { late = 0, ...counts } = rows[0] ?? { waiting: 0, events: 0, servers: 0, workers: 0 };
  return { ...counts, late: Math.max(0, late) };
}

const connected = (name: string) =>
  sql`(select count(*) from pg_stat_activity where datname = current_database() and application_name = ${name})`;

/** The condition for jobs that failed for good, without scheduled jobs, which run again anyway. */
function givenUp({ worker }: CheckContext['hearth']) {
  const scheduledJobs = worker.jobs.filter(({ schedule }) => schedule).map(({ name }) => name);
  return sql`attempts >= max_attempts and locked_at is null and task_identifier <> all(${scheduledJobs})`;
}

async function listGivenUp({ db, hearth }: CheckContext): Promise<GivenUp[]> {
  const { rows } = await sql<GivenUp>`
    select task_identifier as task, count(*) as jobs, (array_agg(last_error order by updated_at desc))[1] as error
    from jobs.jobs where ${givenUp(hearth)} group by task_identifier order by task_identifier`.execute(db);
  return rows;
}

const firstLine = (text: string | null): string => text?.split('\n', 1)[0] ?? 'no reason known';
