// The token by which programs in a job speak to the services that keep its results. It says whose it is by itself, and is good
// while that job runs.
import type { Db } from '#database/connect.ts';
import { asId } from '#lib/id.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findJob, type JobRow } from '../store.ts';

const algorithm = 'HS256';
/** The key is made of the server's secret key, for these tokens alone. */
const keyOf = (secrets: Secrets): Buffer => secrets.digest('key', 'workflow-runs.runtime-token');

type Job = Pick<JobRow, 'id' | 'run_id'>;
/** What a token says: the job, and by its own token which taking of it, as a job that was lost is taken again. */
type Named = Job & { readonly token_id: NonNullable<JobRow['token_id']> };

/**
 * Makes the token of a job.
 * @param readable the refs whose caches it may read, the first of which is its own (see `readableRefs`)
 */
export async function signRuntimeToken(
  secrets: Secrets,
  { id, run_id, token_id }: Named,
  { readable, now, until }: { readable: readonly string[]; now: Date; until: Date },
): Promise<string> {
  const { SignJWT } = await import('jose');
  // Clients read both claims: who they speak for, and which caches there are for them (1 reads, 3 writes too).
  const claims = {
    scp: `Actions.Results:${run_id}:${id}`,
    ac: JSON.stringify(readable.map((ref, at) => ({ Scope: ref, Permission: at === 0 ? 3 : 1 }))),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setJti(String(token_id))
    .setIssuedAt(now)
    .setExpirationTime(until)
    .sign(keyOf(secrets));
}

/**
 * The job that a token speaks for; undefined if the token isn't ours or has expired, and where the job doesn't run any more.
 */
export async function findJobOfToken(
  db: Db,
  { secrets, now }: { secrets: Secrets; now: Date },
  token: string,
): Promise<JobRow | undefined> {
  const named = await jobNamedBy(token, { secrets, now });
  const job = named === undefined ? undefined : await findJob(db, named.id);
  const isIts = job?.run_id === named?.run_id && job?.token_id === named?.token_id;
  return isIts && job?.status === 'in_progress' ? job : undefined;
}

async function jobNamedBy(token: string, { secrets, now }: { secrets: Secrets; now: Date }): Promise<Named | undefined> {
  const { jwtVerify } = await import('jose');
  try {
    const options = { algorithms: [algorithm], currentDate: now, requiredClaims: ['exp', 'jti'] };
    const { payload } = await jwtVerify(token, keyOf(secrets), options);
    const [, run, job] = /^Actions\.Results:(\d+):(\d+)$/.exec(String(payload.scp)) ?? [];
    if (!run || !job) return undefined;
    return { id: asId(Number(job)), run_id: asId(Number(run)), token_id: asId(Number(payload.jti)) };
  } catch {
    return undefined; // it isn't ours, or has expired
  }
}

/**
 * The refs whose caches a run may read (the public API's rule): its own, the base branch of its pull request, and the default
 * branch. A run without a ref has no caches.
 * @param payload the webhook payload of its event
 */
export function readableRefs({ ref, payload }: { ref: string | null; payload: string }, defaultBranch: string): string[] {
  if (ref === null) return [];
  const { pull_request: pull } = JSON.parse(payload) as { pull_request?: { base?: { ref?: string } } };
  const base = pull?.base?.ref;
  const refs = [ref, ...(base === undefined ? [] : [`refs/heads/${base}`]), `refs/heads/${defaultBranch}`];
  return [...new Set(refs)];
}
