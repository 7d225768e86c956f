import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

/** A run, with the owner of its repository, who receives its events. */
export type RunRow = Selectable<DB['workflow_runs']> & { owner_id: Id<'accounts'> };
/** A run without its file and its payload, which may be large. */
export type RunSummary = Omit<RunRow, 'file' | 'payload' | 'registries'>;
export type AttemptRow = Selectable<DB['workflow_run_attempts']>;
export type JobRow = Selectable<DB['workflow_jobs']>;
export type RunFileRow = Selectable<DB['workflow_run_files']>;
export type StepRow = Selectable<DB['workflow_job_steps']>;
type Run = Id<'workflow_runs'>;
type Job = Id<'workflow_jobs'>;

/** Changes of a row, without its state, which only the folder `states` writes. */
type WithoutState<Change> = Omit<Change, 'status' | 'conclusion'> & { status?: never; conclusion?: never };
export type JobChange = WithoutState<Updateable<DB['workflow_jobs']>>;
export type RunChange = WithoutState<Updateable<DB['workflow_runs']>>;

/** The owner of the repository of a run, for statements on `workflow_runs`. */
export const ownerOfRun = sql<
  Id<'accounts'>
>`(select p.owner_id from repositories p where p.id = workflow_runs.repository_id)`.as('owner_id');

const runs = (db: Db) => db.selectFrom('workflow_runs').selectAll('workflow_runs').select(ownerOfRun);

const summaryColumns = [
  'id',
  'repository_id',
  'workflow_id',
  'run_number',
  'attempt',
  'event',
  'event_id',
  'name',
  'title',
  'path',
  'status',
  'conclusion',
  'head_branch',
  'head_sha',
  'head_repository_id',
  'head_commit',
  'ref',
  'sha',
  'workflow_ref',
  'workflow_sha',
  'workflow_repository_id',
  'workflow_path',
  'required_for_ref',
  'secret_source',
  'pull_request_id',
  'actor_id',
  'triggering_actor_id',
  'on_behalf_of_id',
  'problems',
  'is_from_fork',
  'debugs',
  'depth',
  'cancelled_at',
  'check_suite_id',
  'logs_expired_at',
  'created_at',
  'started_at',
  'updated_at',
] as const;

const summaries = (db: Db) => db.selectFrom('workflow_runs').select(summaryColumns).select(ownerOfRun);

export const selectRun = (db: Db, repository: OrSql<RepositoryId>, id: Run) =>
  summaries(db).where('repository_id', '=', repository).where('id', '=', id);

/** Runs by their ids. */
export const loadRuns = async (db: Db, ids: readonly Run[]): Promise<Map<Run, RunSummary>> =>
  keyed(await summaries(db).where('id', 'in', unique(ids)).execute(), ({ id }) => id);

/** The run of the job whose token this is. */
export const findRunOfToken = (db: Db, token: Id<'tokens'>): Promise<RunSummary | undefined> =>
  summaries(db)
    .where('id', '=', (eb) => eb.selectFrom('workflow_jobs').select('run_id').where('token_id', '=', token))
    .executeTakeFirst();

/** The event payloads of runs. */
export const loadPayloads = async (db: Db, ids: readonly Run[]): Promise<Map<Run, string>> =>
  new Map(
    (await db.selectFrom('workflow_runs').select(['id', 'payload']).where('id', 'in', unique(ids)).execute()).map(
      ({ id, payload }) => [id, payload],
    ),
  );

/** The filter of a list of runs. */
export type RunFilter = {
  readonly repository: RepositoryId;
  readonly workflow?: Id<'workflows'> | undefined;
  readonly actor?: Id<'accounts'> | undefined;
  readonly branch?: string | undefined;
  readonly event?: string | undefined;
  readonly status?: RunRow['status'] | undefined;
  readonly conclusion?: NonNullable<RunRow['conclusion']> | undefined;
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
  readonly checkSuite?: number | undefined;
  readonly head?: string | undefined;
};

/** Runs, newest first. */
export function listRuns(db: Db, filter: RunFilter, page: Page): Promise<Listed<RunSummary>> {
  const { repository, workflow, actor, branch, event, status, conclusion, from, until, checkSuite, head } = filter;
  let query = summaries(db).where('repository_id', '=', repository).orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (workflow !== undefined) query = query.where('workflow_id', '=', workflow);
  if (actor !== undefined) query = query.where('actor_id', '=', actor);
  if (branch !== undefined) query = query.where('head_branch', '=', branch);
  if (event !== undefined) query = query.where('event', '=', event);
  if (status === 'completed') query = query.where('status', '=', status);
  // The index of open runs needs its own condition.
  else if (status !== undefined) query = query.where('status', '=', status).where('status', '<>', sql.lit('completed'));
  if (conclusion !== undefined) query = query.where('conclusion', '=', conclusion);
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (until !== undefined) query = query.where('created_at', '<', until);
  if (checkSuite !== undefined) query = query.where(sql<boolean>`check_suite_id = ${checkSuite}`);
  if (head !== undefined) query = query.where('head_sha', '=', head);
  return list(db, query, page);
}

/** The commit whose runs of required workflows are looked up: the head of a pull request, or any other commit. */
type RequiredRunsKey = {
  readonly repository: RepositoryId;
  readonly head: string;
  /** Only runs for this pull request. */
  readonly pull?: Id<'issues'> | undefined;
  /** Only runs for this base branch, since merging the same commit into another branch results in other files. */
  readonly base?: string | undefined;
  /** Only runs of this event. */
  readonly event?: 'merge_group' | undefined;
  /** The repositories of the workflows. */
  readonly sources: readonly RepositoryId[];
};

/** The latest run of each required workflow for a commit. */
export function listRequiredRuns(db: Db, { repository, head, pull, base, event, sources }: RequiredRunsKey) {
  let query = db
    .selectFrom('workflow_runs')
    .distinctOn(['workflow_repository_id', 'workflow_path', 'workflow_ref'])
    .select(['id', 'path', 'status', 'conclusion', 'workflow_repository_id', 'workflow_path', 'workflow_ref'])
    .where('repository_id', '=', repository)
    .where('head_sha', '=', head)
    .where(sql<boolean>`workflow_repository_id = any (${[...sources]}::bigint[])`);
  if (pull !== undefined) query = query.where('pull_request_id', '=', pull);
  if (base !== undefined) query = query.where('required_for_ref', '=', base);
  if (event !== undefined) query = query.where('event', '=', event);
  return query.orderBy('workflow_repository_id').orderBy('workflow_path').orderBy('workflow_ref').orderBy('id', 'desc').execute();
}

/** An earlier attempt of a run. */
export const findAttempt = (db: Db, run: Run, attempt: number): Promise<AttemptRow | undefined> =>
  db.selectFrom('workflow_run_attempts').selectAll().where('run_id', '=', run).where('attempt', '=', attempt).executeTakeFirst();

export const insertAttempt = async (tx: Tx, row: Insertable<DB['workflow_run_attempts']>): Promise<void> => {
  await tx.insertInto('workflow_run_attempts').values(row).execute();
};

export const removeRun = async (tx: Tx, id: Run): Promise<void> => {
  await tx.deleteFrom('workflow_runs').where('id', '=', id).execute();
};

export const findRun = (db: Db, id: Run): Promise<RunRow | undefined> => runs(db).where('id', '=', id).executeTakeFirst();

/** A run with its row locked. Changing the state of a run or of its jobs requires this lock. */
export const findRunForUpdate = (tx: Tx, id: Run): Promise<RunRow | undefined> =>
  runs(tx).where('id', '=', id).forUpdate().executeTakeFirst();

/** Whether an event has already created a run of a workflow. The caller holds the lock of the workflow's row. */
export const hasRunOf = async (tx: Tx, workflow: Id<'workflows'>, event: Id<'events'>): Promise<boolean> =>
  (await tx.selectFrom('workflow_runs').select('id').where('event_id', '=', event).where('workflow_id', '=', workflow).execute())
    .length > 0;

export const updateRun = (tx: Tx, id: Run, change: RunChange): Promise<RunRow> =>
  tx.updateTable('workflow_runs').set(change).where('id', '=', id).returningAll().returning(ownerOfRun).executeTakeFirstOrThrow();

export const insertRunFiles = async (tx: Tx, rows: readonly Insertable<DB['workflow_run_files']>[]): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('workflow_run_files').values(rows).execute();
};

/** The workflow files that a run calls. Their number and their size are limited. */
export const listRunFiles = (db: Db, run: Run): Promise<RunFileRow[]> =>
  db.selectFrom('workflow_run_files').selectAll().where('run_id', '=', run).orderBy('name').execute();

/** The called workflow files of runs, without their contents. */
export const listReferenced = (db: Db, runs: readonly Run[]): Promise<Omit<RunFileRow, 'content'>[]> =>
  runs.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('workflow_run_files')
        .select(['run_id', 'name', 'path', 'ref', 'sha'])
        .where('run_id', 'in', unique(runs))
        .orderBy('run_id')
        .orderBy('name')
        .execute();

export const selectJob = (db: Db, repository: OrSql<RepositoryId>, id: Job) =>
  db.selectFrom('workflow_jobs').selectAll().where('repository_id', '=', repository).where('id', '=', id);

export const findJob = (db: Db, id: Job): Promise<JobRow | undefined> =>
  db.selectFrom('workflow_jobs').selectAll().where('id', '=', id).executeTakeFirst();

/** The repository whose job uses a token, and whether the job runs for a fork's pull request. */
export const findRunningUser = (db: Db, token: Id<'tokens'>) =>
  db
    .selectFrom('workflow_jobs as j')
    .innerJoin('workflow_runs as r', 'r.id', 'j.run_id')
    .innerJoin('repositories as p', 'p.id', 'r.repository_id')
    .select(['p.id', 'p.owner_id', 'p.visibility', 'r.is_from_fork'])
    .where('j.token_id', '=', token)
    .where('j.status', '=', 'in_progress')
    .executeTakeFirst();

/** The jobs of an attempt of a run, or of all attempts, in order of creation. */
export function listJobs(db: Db, run: Run, attempt: number | undefined, page: Page): Promise<Listed<JobRow>> {
  const query = db.selectFrom('workflow_jobs').selectAll().where('run_id', '=', run).orderBy('id');
  return list(db, attempt === undefined ? query : query.where('attempt', '=', attempt), page);
}

/** Jobs by their ids. */
export const loadJobs = async (db: Db, ids: readonly Job[]): Promise<Map<Job, JobRow>> =>
  keyed(await db.selectFrom('workflow_jobs').selectAll().where('id', 'in', unique(ids)).execute(), ({ id }) => id);

/** The jobs of one attempt of a run. Their number is limited. */
export const listJobsOfAttempt = (db: Db, run: Run, attempt: number): Promise<JobRow[]> =>
  db.selectFrom('workflow_jobs').selectAll().where('run_id', '=', run).where('attempt', '=', attempt).orderBy('id').execute();

/** The bytes of the other jobs' outputs in the same attempt, without those of up to `small` bytes. */
export async function sumLargeOutputs(tx: Tx, { id, run_id, attempt }: JobRow, small: number): Promise<number> {
  const size = sql<number>`octet_length(outputs::text)`;
  const { sum } = await tx
    .selectFrom('workflow_jobs')
    .select(sql<number>`coalesce(sum(${size}), 0)::float8`.as('sum'))
    .where('run_id', '=', run_id)
    .where('attempt', '=', attempt)
    .where('id', '<>', id)
    .where(sql<boolean>`${size} > ${small}`)
    .executeTakeFirstOrThrow();
  return sum;
}

/** Whether other jobs of the same matrix run or wait for runners. */
export const hasActiveSiblings = async (tx: Tx, { id, run_id, attempt, key }: JobRow): Promise<boolean> => {
  const found = await tx
    .selectFrom('workflow_jobs')
    .select('id')
    .where('run_id', '=', run_id)
    .where('attempt', '=', attempt)
    .where('key', '=', key)
    .where('status', 'in', ['queued', 'in_progress'])
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
};

export const updateJob = (tx: Tx, id: Job, change: JobChange): Promise<JobRow> =>
  tx.updateTable('workflow_jobs').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const listSteps = (db: Db, jobs: readonly Job[]): Promise<StepRow[]> =>
  jobs.length === 0
    ? Promise.resolve([])
    : db.selectFrom('workflow_job_steps').selectAll().where('job_id', 'in', jobs).orderBy('job_id').orderBy('number').execute();

/** Jobs without a report since a given time: their runner has never reported, or is silent. */
export const listSilentJobs = (db: Db, { before, limit }: { before: Date; limit: number }) =>
  db
    .selectFrom('workflow_jobs')
    .select(['id', 'run_id', 'heard_at'])
    .where('status', '=', 'in_progress')
    .where(sql<boolean>`coalesce(heard_at, started_at) < ${before}`)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Jobs that have exceeded their time limit, and jobs whose runner hasn't ended them since a cancellation before a given time. */
export async function listOverdueJobs(
  db: Db,
  { now, usualMinutes, graceSeconds, before, limit }: Overdue,
): Promise<{ id: Job; run_id: Run; cancelled_at: Date | null }[]> {
  const { rows } = await sql<{ id: Job; run_id: Run; cancelled_at: Date | null }>`
    select id, run_id, cancelled_at from workflow_jobs
    where status = 'in_progress' and (cancelled_at < ${before} or cancelled_at is null and ${now}::timestamptz > started_at
      + make_interval(secs => ${graceSeconds} + 60 * coalesce((plan->>'timeoutMinutes')::float8, ${usualMinutes}::float8)))
    order by id limit ${limit}`.execute(db);
  return rows;
}

type Overdue = {
  readonly now: Date;
  /** The default time limit of jobs. */
  readonly usualMinutes: number;
  readonly graceSeconds: number;
  readonly before: Date;
  readonly limit: number;
};

/** The current jobs of a runner. */
export const listJobsOfRunner = (db: Db, runner: Id<'runners'>) =>
  db
    .selectFrom('workflow_jobs')
    .select(['id', 'run_id'])
    .where('runner_id', '=', runner)
    .where('status', '=', 'in_progress')
    .execute();

/** Deletes the logs of all jobs of a run. Its rules remove the stored objects. */
export const removeLogs = async (tx: Tx, run: Run): Promise<void> => {
  await tx
    .updateTable('workflow_jobs')
    .set({ log_key: null, log_digest: null, log_rows: 0, log_bytes: 0 })
    .where('run_id', '=', run)
    .execute();
  const jobs = sql`(select id from workflow_jobs where run_id = ${run})`;
  await sql`delete from workflow_job_log_parts where job_id in ${jobs}`.execute(tx);
  await sql`delete from workflow_job_log_positions where job_id in ${jobs}`.execute(tx);
};

/** Lists runs that ended before a given time. For one repository, it lists only runs that may have logs. */
export type EndedBefore = { readonly before: Date; readonly withLogsIn?: RepositoryId };

/** The next runs after an id, ordered by id. */
export function listOldRuns(
  db: Db,
  { before, withLogsIn }: EndedBefore,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: Run }[]> {
  const query = db
    .selectFrom('workflow_runs')
    .select('id')
    .where('status', '=', sql.lit('completed'))
    .where('updated_at', '<', before)
    .where(sql<boolean>`id > ${after}`)
    .orderBy('id')
    .limit(limit);
  const wanted =
    withLogsIn === undefined ? query : query.where('repository_id', '=', withLogsIn).where('logs_expired_at', 'is', null);
  return wanted.execute();
}

/** Repositories after an id with runs that ended before a given time and may have logs. */
export const listRepositoriesWithOldLogs = async (
  db: Db,
  { before, after, limit }: { before: Date; after: number; limit: number },
): Promise<RepositoryId[]> => {
  const rows = await db
    .selectFrom('workflow_runs')
    .select('repository_id')
    .distinct()
    .where('status', '=', sql.lit('completed'))
    .where('logs_expired_at', 'is', null)
    .where('updated_at', '<', before)
    .where(sql<boolean>`repository_id > ${after}`)
    .orderBy('repository_id')
    .limit(limit)
    .execute();
  return rows.map(({ repository_id }) => repository_id);
};

/** How long the jobs of a workflow have run since a given time, by the operating system of their runners, in milliseconds. */
export async function sumTimes(db: Db, workflow: Id<'workflows'>, since: Date): Promise<{ runner_os: string; time: number }[]> {
  const { rows } = await sql<{ runner_os: string; time: number }>`
    select j.runner_os, (1000 * sum(extract(epoch from j.completed_at - j.started_at)))::bigint as time
    from workflow_runs r join workflow_jobs j on j.run_id = r.id
    where r.workflow_id = ${workflow} and r.created_at >= ${since} and j.carried_from is null
      and j.runner_os is not null and j.status = 'completed'
    group by j.runner_os`.execute(db);
  return rows;
}

/** Whether a job of an attempt has a log. */
export const hasLogs = async (db: Db, run: Run, attempt: number): Promise<boolean> =>
  (
    await db
      .selectFrom('workflow_jobs')
      .select('id')
      .where('run_id', '=', run)
      .where('attempt', '=', attempt)
      .where('log_rows', '>', 0)
      .limit(1)
      .execute()
  ).length > 0;
