// The identity of a job: the address for requesting identity tokens, and the facts in them.
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { asId } from '#lib/id.ts';
import { withPreparations } from '#lib/preparation.ts';
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findBranchProtection } from '#resources/actions/environments/index.ts';
import type { JobIdentity } from '#resources/actions/identity-tokens/index.ts';
import { calledBy, type Workflow } from '#workflow-files/calls.ts';
import type { TakenJob } from '../jobs/claim.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { loadContextFacts } from '../planning/context-facts.ts';
import { type ContextFacts, githubContext } from '../planning/contexts.ts';
import { planOf } from '../planning/kept-plan.ts';
import { findJob, findRun, type JobRow, listReferenced, type RunRow } from '../store.ts';

const context = 'workflow-runs.identity';

/** The path at which jobs request identity tokens, below the address of the server. */
export const identityPath = '/_services/token/request';

/**
 * The address and the token with which a job requests identity tokens. They are valid while the job runs on its current runner.
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

/** The identity of the job that a token was made for; undefined if the token is invalid or expired, or the job no longer runs. */
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
  const workflow = planOf(job).calls.length > 0 ? await withPreparations(() => loadWorkflow(db, run)) : undefined;
  return { job, ...(await loadIdentity(db, { job, run }, facts, workflow)) };
}

/**
 * The identity of a job.
 * @param workflow the workflow of its run. Only jobs of called workflows need it.
 */
export async function loadIdentity(
  db: Db,
  { job, run }: TakenJob,
  facts: ContextFacts,
  workflow: Workflow | undefined,
): Promise<JobIdentity> {
  const environment = planOf(job).environment?.name;
  const { isThis } = await findBranchProtection(db, run.repository_id, run.ref ?? undefined);
  const github = githubContext(run, facts);
  const file = workflow && (await findCalledFile(db, run, job, workflow));
  const claim = (name: string): string => String(github[name] ?? '');
  return {
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

/** The file of a job in a called workflow, with its ref, for example `acme/tools/.github/workflows/test.yml@refs/heads/main`. */
async function findCalledFile(
  db: Db,
  run: RunRow,
  job: JobRow,
  workflow: Workflow,
): Promise<{ ref: string; sha: string } | undefined> {
  const { calls } = planOf(job);
  const name = calls.length > 0 ? calledBy(workflow, calls)?.name : undefined;
  const file = (name === undefined ? [] : await listReferenced(db, [run.id])).find((one) => one.name === name);
  if (!file) return undefined;
  return { ref: `${file.path.slice(0, file.path.indexOf('@'))}@${file.ref ?? file.sha}`, sha: file.sha };
}

/** The claims with the same names as in the context `github`. */
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

/** The claims that a run without a ref doesn't have. */
const refClaims = ['ref', 'ref_type'] as const;
