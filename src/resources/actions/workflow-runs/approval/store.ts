import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { JobRow } from '../store.ts';

export type ReviewRow = Selectable<DB['workflow_run_reviews']>;
type Review = ReviewRow['id'];
type Run = Id<'workflow_runs'>;

export const insertReview = (tx: Tx, row: Insertable<DB['workflow_run_reviews']>): Promise<ReviewRow> =>
  tx.insertInto('workflow_run_reviews').values(row).returningAll().executeTakeFirstOrThrow();

/** The jobs that a review applies to. */
export const insertJobReviews = async (tx: Tx, rows: readonly Insertable<DB['workflow_job_reviews']>[]): Promise<void> => {
  await tx.insertInto('workflow_job_reviews').values(rows).execute();
};

/** A review of one job. */
export type JobReview = Pick<ReviewRow, 'user_id' | 'app_id' | 'state'> &
  Pick<Selectable<DB['workflow_job_reviews']>, 'job_id' | 'is_bypass'>;

/** The reviews of jobs, in order. */
export const listJobReviews = (db: Db, jobs: readonly JobRow['id'][]): Promise<JobReview[]> =>
  db
    .selectFrom('workflow_job_reviews as j')
    .innerJoin('workflow_run_reviews as r', 'r.id', 'j.review_id')
    .select(['j.job_id', 'j.is_bypass', 'r.user_id', 'r.app_id', 'r.state'])
    .where('j.job_id', 'in', [...jobs])
    .orderBy('r.id')
    .execute();

/** The number of a run's reviews by people. */
export const countReviews = async (db: Db, run: Run): Promise<number> => {
  const { count } = await db
    .selectFrom('workflow_run_reviews')
    .select(sql<number>`count(*)`.as('count'))
    .where('run_id', '=', run)
    .executeTakeFirstOrThrow();
  return count;
};

/** A review with its environments. */
type ReviewOfEnvironments = ReviewRow & { environments: Id<'environments'>[] };

/** The reviews of a run by people, latest first. */
export const listReviews = (db: Db, run: Run, limit: number): Promise<ReviewOfEnvironments[]> =>
  db
    .selectFrom('workflow_run_reviews as r')
    .selectAll('r')
    .select(
      sql<Id<'environments'>[]>`array(
        select distinct j.environment_id from workflow_job_reviews j
        where j.review_id = r.id and j.environment_id is not null)`.as('environments'),
    )
    .where('r.run_id', '=', run)
    .where('r.user_id', 'is not', null)
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute();

/** Reviews by their ids, each with its jobs. */
export const loadReviewsWithJobs = async (
  db: Db,
  ids: readonly Review[],
): Promise<Map<Review, ReviewRow & { jobs: JobRow['id'][] }>> =>
  keyed(
    await db
      .selectFrom('workflow_run_reviews as r')
      .selectAll('r')
      .select(
        sql<JobRow['id'][]>`array(
          select j.job_id from workflow_job_reviews j where j.review_id = r.id order by j.job_id)`.as('jobs'),
      )
      .where('r.id', 'in', unique(ids))
      .execute(),
    ({ id }) => id,
  );

/** The jobs of an attempt that wait to enter their environments. */
export const listWaitingJobs = (db: Db, run: Run, attempt: number): Promise<JobRow[]> =>
  db
    .selectFrom('workflow_jobs')
    .selectAll()
    .where('run_id', '=', run)
    .where('attempt', '=', attempt)
    .where('status', '=', 'waiting')
    .where('asked_at', 'is not', null)
    .orderBy('id')
    .execute();

/** Runs of a repository whose jobs wait for an environment, including deleted ones. */
export const listRunsWaitingFor = async (
  db: Db,
  repository: Id<'repositories'>,
  environment: Id<'environments'> | undefined,
): Promise<Run[]> => {
  const query = db
    .selectFrom('workflow_jobs')
    .select('run_id')
    .distinct()
    .where('repository_id', '=', repository)
    .where('status', '=', 'waiting')
    .where('asked_at', 'is not', null);
  const found =
    environment === undefined ? query.where('environment_id', 'is', null) : query.where('environment_id', '=', environment);
  return (await found.orderBy('run_id').execute()).map(({ run_id }) => run_id);
};

/** Jobs that have waited since before a time. */
export const listLongWaiting = (db: Db, before: Date, limit: number): Promise<Pick<JobRow, 'id' | 'run_id'>[]> =>
  db
    .selectFrom('workflow_jobs')
    .select(['id', 'run_id'])
    .where('status', '=', 'waiting')
    .where('asked_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
