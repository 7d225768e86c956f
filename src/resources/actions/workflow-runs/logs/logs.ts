// Logs of jobs: lines with their times. While a job runs, they are in the database, in parts; afterwards in the object store.

import { signalChanges } from '#database/change-signals.ts';
import type { Db } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { job } from '#jobs/job.ts';
import { asId, type Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { runLimits } from '../limits.ts';
import { annotateCheck } from '../states/checks.ts';
import { findJob, type JobRow, loadRuns } from '../store.ts';
import { openAnnotationReader } from './annotations.ts';
import { openPositions } from './positions.ts';
import type { SecretMask } from './secret-mask.ts';
import { appendLog, keepLog, listLogParts, loadKeptLogs } from './store.ts';

type LogRow = { readonly at: Date; readonly text: string };

const maxRowBytes = fixedValue(runLimits.logRowBytes);
const partsPerBatch = 100;

/**
 * Appends rows to the log of a job. Rows that already exist are skipped, so that a repeated message changes nothing.
 * @param from the number of the first row
 * @returns the number of rows in the log now
 */
export async function writeLog(
  db: Db,
  given: JobRow,
  { from, rows, mask, maxBytes, now }: { from: number; rows: readonly LogRow[]; mask: SecretMask; maxBytes: number; now: Date },
): Promise<number> {
  const { log_rows, log_bytes } = given;
  const added = from > log_rows ? [] : rows.slice(log_rows - from);
  if (added.length === 0 || given.status !== 'in_progress') return log_rows;
  // Rows beyond the limit are counted but not stored, so that the runner continues.
  const text = log_bytes >= maxBytes ? '' : await textOf(added, mask);
  const written = await appendLog(db, given, { text, rows: added.length, now });
  if (written) signalChanges(db, [`job:${given.id}`]);
  return written ? log_rows + added.length : ((await findJob(db, given.id))?.log_rows ?? log_rows);
}

async function textOf(rows: readonly LogRow[], mask: SecretMask): Promise<string> {
  const turn = periodicYield();
  let text = '';
  for (const row of rows) {
    text += lineOf(row, mask);
    await turn();
  }
  return text;
}

/** A line as stored: its time with seven fractional digits (the public API's form), and its text without control characters. */
function lineOf({ at, text }: LogRow, mask: SecretMask): string {
  const clean = cut(mask.hide(text, maxRowBytes).replace(/\r?\n/g, ' ').replace(controls, ''));
  return `${at.toISOString().slice(0, -1)}0000Z ${clean}\n`;
}

/** All control characters except tab and escape, which starts colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const controls = /[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f]/g;

const cut = (text: string): string =>
  Buffer.byteLength(text) <= maxRowBytes ? text : Buffer.from(text).subarray(0, maxRowBytes).toString('utf8');

/** The parts of a log that isn't in the object store yet, in order, a few in memory at a time. */
async function* readParts(db: Db, id: Id<'workflow_jobs'>): AsyncGenerator<string> {
  let from = 0;
  for (;;) {
    const parts = await listLogParts(db, id, from, partsPerBatch);
    for (const { text } of parts) yield text;
    const last = parts.at(-1);
    if (!last || parts.length < partsPerBatch) return;
    from = last.first_row + 1;
  }
}

/**
 * The log of a job, from the database or the object store. The log of a running job ends with its current content. If the log is
 * moved to the object store meanwhile, the rest is read there.
 */
export async function* readLog(
  { db, services: { objects } }: Scope & Needs<'objects'>,
  job: Pick<JobRow, 'id' | 'carried_from'>,
): AsyncGenerator<Buffer> {
  const id = sourceOf(job);
  let bytes = 0;
  for await (const text of readParts(db, id)) {
    const part = Buffer.from(text);
    bytes += part.length;
    yield part;
  }
  const { log_key = null, log_bytes = 0 } = (await findJob(db, id)) ?? {};
  if (log_key === null || bytes >= log_bytes) return;
  const stored = await objects.open(log_key, { start: bytes, end: log_bytes - 1 });
  if (stored) yield* stored as AsyncIterable<Buffer>;
}

/** The job that has the steps and the log. For a job that was carried into a later attempt, it is the original job. */
export const sourceOf = ({ id, carried_from }: Pick<JobRow, 'id' | 'carried_from'>): JobRow['id'] => carried_from ?? id;

/** The key of a job's log in the object store. */
const logKeyOf = ({ id, run_id }: Pick<JobRow, 'id' | 'run_id'>): string => `${logGroupOf(run_id)}/${id}`;

/** The group of the logs of a run in the object store. */
const logGroupOf = (run: Id<'workflow_runs'>): string => `logs-${run}`;

/** The given objects that are logs of jobs. */
export async function loadKnownLogs(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const jobs = keys.flatMap((key) => /^logs-\d+\/(\d{1,15})$/.exec(key)?.[1] ?? []);
  return new Set(
    await loadKeptLogs(
      db,
      jobs.map((id) => asId(Number(id))),
    ),
  );
}

/** The group of a run's artifacts in the object store. */
export const artifactGroupOf = (run: Id<'workflow_runs'>): string => `artifacts-${run}`;

/** The public API's limit for one job. */
const maxAnnotations = 50;

/** Moves the log of a finished job into the object store. Annotations in the log are added to its check. */
export const storeLog = job<{ job: Id<'workflow_jobs'> }, JobContext>({
  name: 'workflow-runs.store-log',
  attempts: 25,
  async run({ job: id }, { db, change, services }) {
    const found = await findJob(db, id);
    if (!found || found.log_key !== null || found.log_rows === 0) return;
    const key = logKeyOf(found);
    const annotations = openAnnotationReader(maxAnnotations);
    await services.objects.remove(key); // a process that crashed may have left it
    const positions = openPositions();
    const { digest } = await services.objects.put(key, async (sink) => {
      for await (const text of readParts(db, id)) {
        annotations.read(text); // a part ends with a whole line
        const part = Buffer.from(text);
        positions.read(part);
        await sink(part);
      }
    });
    const isKept = await change(async (scope) => {
      const kept = await keepLog(scope.tx, found, { key, digest, positions: positions.found() });
      const run = (await loadRuns(scope.tx, [found.run_id])).get(found.run_id);
      if (kept && run) await annotateCheck(scope, run, found, annotations.found());
      return kept;
    });
    if (!isKept) await services.objects.remove(key);
  },
});

/** Removes the stored files of a deleted run's jobs. The rows no longer exist. */
export const removeStoredArtifacts = job<{ run: Id<'workflow_runs'> }, JobContext>({
  name: 'workflow-runs.remove-artifacts',
  attempts: 25,
  async run({ run }, { services }) {
    await services.objects.removeGroup(artifactGroupOf(run));
  },
});

/** Removes the stored logs of a run that was deleted, or whose logs were. */
export const removeStoredLogs = job<{ run: Id<'workflow_runs'> }, JobContext>({
  name: 'workflow-runs.remove-logs',
  attempts: 25,
  async run({ run }, { services }) {
    await services.objects.removeGroup(logGroupOf(run));
  },
});
