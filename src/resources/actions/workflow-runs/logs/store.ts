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
  { key, digest, positions }: { key: string; digest: string; positions: readonly LogPosition[] },
): Promise<boolean> {
  const kept = await tx
    .updateTable('workflow_jobs')
    .set({ log_key: key, log_digest: digest })
    .where('id', '=', id)
    .where('log_rows', '=', log_rows)
    .returning('id')
    .execute();
  await tx.deleteFrom('workflow_job_log_parts').where('job_id', '=', id).execute();
  if (kept.length > 0 && positions.length > 0) await insertPositions(tx, id, positions);
  return kept.length > 0;
}

/** A row of a stored log, and its first byte. */
export type LogPosition = { readonly row: number; readonly byte: number };

async function insertPositions(tx: Tx, job: Job, positions: readonly LogPosition[]): Promise<void> {
  const [rows, bytes] = [positions.map(({ row }) => row), positions.map(({ byte }) => byte)];
  await sql`
    insert into workflow_job_log_positions (job_id, first_row, first_byte)
    select ${job}, row, byte from unnest(${rows}::bigint[], ${bytes}::bigint[]) as given (row, byte)`.execute(tx);
}

/** The last known position at or before a row. Logs that an earlier version stored have none. */
export async function findPosition(db: Db, job: Job, row: number): Promise<LogPosition | undefined> {
  const found = await db
    .selectFrom('workflow_job_log_positions')
    .select(['first_row as row', 'first_byte as byte'])
    .where('job_id', '=', job)
    .where('first_row', '<=', row)
    .orderBy('first_row', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found;
}

export type LogPart = { readonly first_row: number; readonly text: string };

/**
 * The next parts of a log: as many as have a number of bytes, and one at least. Their sizes are known without reading them.
 * @param from the row that the first part has, or the first row of the part before
 */
export async function listPartsFrom(
  db: Db,
  job: Job,
  from: { readonly row: number } | { readonly after: number },
  { parts, bytes }: { parts: number; bytes: number },
): Promise<LogPart[]> {
  const isNext =
    'after' in from
      ? sql<boolean>`first_row > ${from.after}`
      : sql<boolean>`first_row >= coalesce(
          (select max(first_row) from workflow_job_log_parts where job_id = ${job} and first_row <= ${from.row}), 0)`;
  const { rows } = await sql<LogPart>`
    select first_row, text from (
      select first_row, text,
        sum(octet_length(text)) over (order by first_row rows between unbounded preceding and 1 preceding) as before
      from (
        select first_row, text from workflow_job_log_parts where job_id = ${job} and ${isNext}
        order by first_row limit ${parts}) next) sized
    where coalesce(before, 0) < ${bytes} order by first_row`.execute(db);
  return rows;
}

/** The given jobs whose logs are in the object store. */
export const loadKeptLogs = async (db: Db, ids: readonly Job[]): Promise<string[]> => {
  if (ids.length === 0) return [];
  const kept = db.selectFrom('workflow_jobs').select('log_key').where('id', 'in', ids).where('log_key', 'is not', null);
  return (await kept.execute()).flatMap(({ log_key }) => log_key ?? []);
};
