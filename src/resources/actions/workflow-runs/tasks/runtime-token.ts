// The token that programs in a job use for the services that store its results. It identifies the job by itself, and is valid
// while that job runs.
import type { Db } from '#database/connect.ts';
import { asId } from '#lib/id.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findJob, type JobRow } from '../store.ts';

const algorithm = 'HS256';
/** A key derived from the server's secret key, only for these tokens. */
const keyOf = (secrets: Secrets): Buffer => secrets.digest('key', 'workflow-runs.runtime-token');

type Job = Pick<JobRow, 'id' | 'run_id'>;
/**
 * The contents of a token: the job, and the id of its job token. A lost job that is taken again gets a new token.
 */
type Named = Job & { readonly token_id: NonNullable<JobRow['token_id']> };

/**
 * Creates the token of a job.
 * @param readable the refs whose caches it may read, its own first (see `readableRefs`)
 */
export async function signRuntimeToken(
  secrets: Secrets,
  { id, run_id, token_id }: Named,
  { readable, now, until }: { readable: readonly string[]; now: Date; until: Date },
): Promise<string> {
  const { SignJWT } = await import('jose');
  // Clients read both claims: the identity, and the accessible caches (1 means read, 3 means read and write).
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

/** The job of a token; undefined if the token is invalid or expired, or the job no longer runs. */
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
    return undefined; // invalid or expired
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
