// The logs of a run's attempt as an archive: one file for each job, and a folder with one file for each step (the public API's
// form).

import { StringDecoder } from 'node:string_decoder';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { grouped } from '#lib/collections.ts';
import { type ZipEntry, zipOf } from '#lib/zip.ts';
import { type JobRow, listJobsOfAttempt, listSteps, type RunSummary, type StepRow } from '../store.ts';
import { readLog, sourceOf } from './logs.ts';

type Parts = Scope & Needs<'objects'>;

/** Opens the archive; undefined if no job has a log. */
export async function openLogArchive(parts: Parts, run: Pick<RunSummary, 'id'>, attempt: number) {
  const jobs = (await listJobsOfAttempt(parts.db, run.id, attempt)).filter(({ log_rows }) => log_rows > 0);
  if (jobs.length === 0) return undefined;
  const steps = grouped(await listSteps(parts.db, jobs.map(sourceOf)), ({ job_id }) => job_id);
  const all = jobs.map((job, at) => ({ job, at, steps: steps.get(sourceOf(job)) ?? [], rows: rowsOf(readLog(parts, job)) }));
  const archive = zipOf(all.flatMap((one) => entriesOf(parts, one)));
  archive.once('close', () => {
    for (const { rows } of all) void rows.close();
  });
  return archive;
}

type LoggedJob = { job: JobRow; at: number; steps: readonly StepRow[]; rows: ReturnType<typeof rowsOf> };

/**
 * A file for a job, and one for each step. The steps are read in order, so that one pass over the log is enough for all of them.
 */
function entriesOf(parts: Parts, { job, at, steps, rows }: LoggedJob): ZipEntry[] {
  const modified = job.completed_at ?? job.created_at;
  const name = fileNameOf(job.name);
  return [
    { name: `${at}_${name}.txt`, modified, open: () => readLog(parts, job) },
    ...steps
      .filter(({ row_count }) => row_count > 0)
      .map((step) => ({ name: `${name}/${step.number}_${fileNameOf(step.name)}.txt`, modified, open: () => rows.take(step) })),
  ];
}

/** A name without characters that are invalid in file names, limited to the length that clients look for (90 characters). */
function fileNameOf(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  const clean = name.replace(/[/:\\\x00-\x1f]/g, '').slice(0, 90);
  return /^\.*$/.test(clean) ? `_${clean}` : clean;
}

/** The rows of a log. Parts must be read in order. */
function rowsOf(log: AsyncIterable<Buffer>) {
  const lines = linesOf(log);
  let row = 0;
  return {
    async *take({ first_row, row_count }: Pick<StepRow, 'first_row' | 'row_count'>): AsyncGenerator<string> {
      const end = first_row + row_count;
      while (row < end) {
        const { value, done } = await lines.next();
        if (done) return;
        if (row++ >= first_row) yield value;
      }
    },
    close: () => lines.return(undefined),
  };
}

/** The lines of a text, with their line ends. */
async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const part of text) {
    const lines = (rest + decoder.write(part)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield `${line}\n`;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
  return undefined;
}
