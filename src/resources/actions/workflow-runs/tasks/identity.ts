// What a job can prove about itself: the address for requesting identity tokens, and the facts.
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { asId, type Id } from '#lib/id.ts';
import { withPreparations } from '#lib/preparation.ts';
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findBranchProtection } from '#resources/actions/environments/index.ts';
import { calledBy } from '#workflow-files/calls.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { loadContextFacts } from '../planning/context-facts.ts';
import { type ContextFacts, githubContext } from '../planning/contexts.ts';
import { planOf } from '../planning/kept-plan.ts';
import { findJob, findRun, type JobRow, listReferenced, type RunRow } from '../store.ts';

const context = 'workflow-runs.identity';

/** Where jobs ask for identity tokens, from the address of the server on. */
export const identityPath = '/_services/token/request';

/**
 * The address and the token with which a job asks for its identity tokens. They are good while the job runs on the runner that
 * has it now.
 */
export function identityRequest(
  { html }: Pick<Links, 'html'>,
  secrets: Secrets,
  { id, token_id }: Pick<JobRow, 'id' | 'token_id'>,
  until: Date,
): { url: string; token: string } {
  // Programs append `&audience=` to the address.
  return { url: `${html}${identityPath}?job=${id}`, token: sealKey(secrets, context, { text: `${id} ${token_id}`, until }) };
}

/** What is true of a running job. */
export type JobIdentity = {
  readonly repository: ContextFacts['repository'] & { readonly id: Id<'repositories'> };
  readonly eventName: string;
  /** Undefined for a commit without a ref. */
  readonly ref: string | undefined;
  readonly environment: string | undefined;
  /** By the names of claims, as the public API has them. */
  readonly claims: Readonly<Record<string, string>>;
};

/**
 * The identity of the job that a token was made for; undefined if it isn't ours, has expired, or the job doesn't run any more.
 */
export async function findIdentity(
  db: Db,
  key: string,
  { links, secrets, now }: { links: Pick<Links, 'html' | 'api'>; secrets: Secrets; now: Date },
): Promise<(JobIdentity & { readonly job: JobRow }) | undefined> {
  const [id, token] = (openKey(secrets, context, { key, now }) ?? '').split(' ').map(Number);
  const job = id ? await findJob(db, asId(id)) : undefined;
  if (job?.status !== 'in_progress' || job.token_id === null || job.token_id !== token) return undefined;
  const run = await findRun(db, job.run_id);
  const facts = run && (await loadContextFacts(db, run, links));
  if (!facts) return undefined;
  const environment = planOf(job).environment?.name;
  const { isThis } = await findBranchProtection(db, run.repository_id, run.ref ?? undefined);
  const github = githubContext(run, facts);
  const file = await fileOf(db, run, job);
  const claim = (name: string): string => String(github[name] ?? '');
  return {
    job,
    repository: { ...facts.repository, id: run.repository_id },
    eventName: run.event,
    ref: run.ref ?? undefined,
    environment,
    claims: {
      ...Object.fromEntries(contextClaims.map((name) => [name, claim(name)])),
      ...(run.ref === null ? {} : Object.fromEntries(refClaims.map((name) => [name, claim(name)]))),
      ...(environment === undefined ? {} : { environment }),
      ref_protected: String(isThis),
      repository_visibility: facts.repository.visibility,
      job_workflow_ref: file?.ref ?? claim('workflow_ref'),
      job_workflow_sha: file?.sha ?? claim('workflow_sha'),
      runner_environment: job.hosted_runner_id === null ? 'self-hosted' : 'github-hosted',
      check_run_id: String(job.check_run_id ?? ''),
    },
  };
}

/** The file of a job in a called workflow, with its ref, as `acme/tools/.github/workflows/test.yml@refs/heads/main`. */
async function fileOf(db: Db, run: RunRow, job: JobRow): Promise<{ ref: string; sha: string } | undefined> {
  const { calls } = planOf(job);
  const workflow = calls.length > 0 ? await withPreparations(() => loadWorkflow(db, run)) : undefined;
  const name = workflow && calledBy(workflow, calls)?.name;
  const file = (name === undefined ? [] : await listReferenced(db, [run.id])).find((one) => one.name === name);
  if (!file) return undefined;
  return { ref: `${file.path.slice(0, file.path.indexOf('@'))}@${file.ref ?? file.sha}`, sha: file.sha };
}

/** The claims that the context `github` has by the same names. */
const contextClaims = [
  'actor',
  'actor_id',
  'base_ref',
  'event_name',
  'head_ref',
  'repository',
  'repository_id',
  'repository_owner',
  'repository_owner_id',
  'run_attempt',
  'run_id',
  'run_number',
  'sha',
  'workflow',
  'workflow_ref',
  'workflow_sha',
] as const;

/** Those that a run without a ref doesn't have. */
const refClaims = ['ref', 'ref_type'] as const;
