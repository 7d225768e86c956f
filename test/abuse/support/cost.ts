import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/**
 * What some work took: milliseconds of processor time of this thread and of PostgreSQL, and bytes that PostgreSQL's processes
 * hold.
 */
export type Cost = { threadMs: number; databaseMs: number; databaseBytes: number };

/** Whether the system tells what other processes take. */
export const tellsOfProcesses = existsSync('/proc/self/stat');

const tickMs = 10;

/** The processes of PostgreSQL that work for this test file's database. */
async function backends(db: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()`.execute(db);
  return rows.map(({ pid }) => pid);
}

/** Processor time that a process has used, and the memory that is its own; nothing of one that has ended. */
async function usageOf(pid: number): Promise<{ milliseconds: number; bytes: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    milliseconds: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs,
    bytes: Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024,
  };
}

/** Does some work and tells what it took. Work of this process for others counts too: nothing else should go on. */
export async function costOf(db: Db, work: () => Promise<unknown>): Promise<Cost> {
  const pids = tellsOfProcesses ? await backends(db) : [];
  const before = await Promise.all(pids.map(usageOf));
  const thread = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(thread);
  const after = await Promise.all(pids.map(usageOf));
  const used = after.map(({ milliseconds }, index) => milliseconds - (before[index]?.milliseconds ?? 0));
  return {
    threadMs: (user + system) / 1_000,
    databaseMs: Math.max(0, ...used),
    databaseBytes: Math.max(0, ...after.map(({ bytes }) => bytes)),
  };
}
