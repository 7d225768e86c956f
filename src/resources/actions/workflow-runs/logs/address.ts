// Addresses of logs. They need no credential for a minute, as in the public API: programs that follow a redirect may not send
// theirs.
import type { Db } from '#database/connect.ts';
import { asId, type Id } from '#lib/id.ts';
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addSeconds } from '#lib/time.ts';
import { findJob, type JobRow, loadRuns, type RunSummary } from '../store.ts';

const contexts = { job: 'workflow-runs.log', run: 'workflow-runs.log-archive' } as const;
/** The public API's time. */
const seconds = 60;

type Sealing = { readonly secrets: Secrets; readonly now: Date };

/** The key in the address of a job's log. */
export const keyOfLog = ({ secrets, now }: Sealing, job: Id<'workflow_jobs'>): string =>
  sealKey(secrets, contexts.job, { text: String(job), until: addSeconds(now, seconds) });

/** The key in the address of the logs of a run's attempt. */
export const keyOfLogArchive = ({ secrets, now }: Sealing, { id, attempt }: Pick<RunSummary, 'id' | 'attempt'>): string =>
  sealKey(secrets, contexts.run, { text: `${id} ${attempt}`, until: addSeconds(now, seconds) });

/** The job whose log a key opens; undefined if the key is invalid or expired, or the job was deleted. */
export async function findLogOfKey(db: Db, { secrets, now }: Sealing, key: string): Promise<JobRow | undefined> {
  const text = openKey(secrets, contexts.job, { key, now });
  return text === undefined ? undefined : findJob(db, asId(Number(text)));
}

/** The run and the attempt whose logs a key opens; undefined as for a job. */
export async function findLogArchiveOfKey(
  db: Db,
  { secrets, now }: Sealing,
  key: string,
): Promise<{ run: RunSummary; attempt: number } | undefined> {
  const [id, attempt] = (openKey(secrets, contexts.run, { key, now }) ?? '').split(' ').map(Number);
  if (!id || !attempt) return undefined;
  const run = (await loadRuns(db, [asId<'workflow_runs'>(id)])).get(asId(id));
  return run && { run, attempt };
}
