// The statements of logs.
import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { JobRow } from '../store.ts';

type Job = Id<'workflow_jobs'>;

/**
 * Appends rows to the log of a job, if the log still has the number of rows that the caller expects.
 * @returns whether it had
 */
export async function appendLog(
  db: Db,
  { id, log_rows }: Pick<JobRow, 'id' | 'log_rows'>,
  { text, rows, now }: { text: string; rows: number; now: Date },
): Promise<boolean> {
  const bytes = Buffer.byteLength(text);
  const { rows: written } = await sql`
    with job as (
      update workflow_jobs set log_rows = log_rows + ${rows}, log_bytes = log_bytes + ${bytes}, heard_at = ${now}
      where id = ${id} and log_rows = ${log_rows} returning id)
    insert into workflow_job_log_parts (job_id, first_row, text) select id, ${log_rows}, ${text} from job
    returning job_id`.execute(db);
  return written.length > 0;
}

/** The next parts of a log, starting at a row, up to a limit. */
export const listLogParts = (db: Db, job: Job, from: number, limit: number) =>
  db
    .selectFrom('workflow_job_log_parts')
    .selectAll()
    .where('job_id', '=', job)
    .where('first_row', '>=', from)
    .orderBy('first_row')
    .limit(limit)
    .execute();

/**
 * Stores the key of a job's log in the object store, and deletes its parts.
 * @returns false if the job or its log was deleted meanwhile
 */
export async function keepLog(
  tx: Tx,
  { id, log_rows }: Pick<JobRow, 'id' | 'log_rows'>,
  { key, digest }: { key: string; digest: string },
): Promise<boolean> {
  const kept = await tx
    .updateTable('workflow_jobs')
    .set({ log_key: key, log_digest: digest })
    .where('id', '=', id)
    .where('log_rows', '=', log_rows)
    .returning('id')
    .execute();
  await tx.deleteFrom('workflow_job_log_parts').where('job_id', '=', id).execute();
  return kept.length > 0;
}

/** The given jobs whose logs are in the object store. */
export const loadKeptLogs = async (db: Db, ids: readonly Job[]): Promise<string[]> => {
  if (ids.length === 0) return [];
  const kept = db.selectFrom('workflow_jobs').select('log_key').where('id', 'in', ids).where('log_key', 'is not', null);
  return (await kept.execute()).flatMap(({ log_key }) => log_key ?? []);
};
