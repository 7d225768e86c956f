// What a runner is given of the job that it took. It knows nothing of how runners speak.
import type { Db, Tx } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { grouped, unique } from '#lib/collections.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addMinutes } from '#lib/time.ts';
import { loadActionsPolicy } from '#resources/actions-permissions/index.ts';
import { loadSecretsForJob } from '#resources/actions-secrets/index.ts';
import { loadVariablesForJob } from '#resources/actions-variables/index.ts';
import { createJobToken } from '#resources/apps/index.ts';
import { findBranchProtection } from '#resources/environments/index.ts';
import { readWorkflowFile } from '#resources/workflows/index.ts';
import type { Json } from '#workflow-files/expressions.ts';
import type { WorkflowFileJob } from '#workflow-files/parse.ts';
import { permissionsOfJob } from '#workflow-files/permissions.ts';
import { type JobResult, resultOf } from '#workflow-files/plan.ts';
import { fileForRunner } from '#workflow-files/runner-job.ts';
import { forkRights } from './admission.ts';
import { githubContext } from './contexts.ts';
import { planOf } from './planned.ts';
import { resultOfJob } from './progress.ts';
import type { FoundJob, TakenJob } from './queue.ts';
import { readableRefs, signRuntimeToken } from './runtime-token.ts';
import { type JobRow, listJobsOfAttempt, putSteps, updateJob } from './store.ts';
import { loadSurroundings } from './surroundings.ts';

/** What a runner needs to run a job. */
export type Task = {
  readonly job: JobRow;
  /** The workflow file with this job alone. */
  readonly file: string;
  /** The context `github`. */
  readonly context: { readonly [name: string]: Json };
  readonly token: string;
  readonly secrets: { readonly [name: string]: string };
  readonly vars: { readonly [name: string]: string };
  readonly needs: { readonly [id: string]: JobResult };
};

const usualMinutes = fixedValue(limitTable.workflows.jobTime) / 60_000;
/** What makes runners tell more of each step (the public API's names). */
const debugSecrets = { ACTIONS_STEP_DEBUG: 'true', ACTIONS_RUNNER_DEBUG: 'true' };
/** How long a token outlives the time of its job, in minutes: runners tell of the end a little later. */
const tokenMinutesBeyond = 15;

/**
 * Makes the task of a job that was just taken: with a token of its own, which ends with the job.
 * @returns undefined where there is nothing to run any more
 */
export async function makeTask(
  tx: Tx,
  { job, run, labels }: FoundJob,
  { links, secrets, now }: { links: Pick<Links, 'html' | 'api'>; secrets: Secrets; now: Date },
): Promise<Task | undefined> {
  const parsed = await readWorkflowFile({ path: run.path, content: run.file });
  const surroundings = await loadSurroundings(tx, run, links);
  if (!('file' in parsed) || !surroundings) return undefined;
  const { combination, timeoutMinutes } = planOf(job);
  const minutes = timeoutMinutes ?? usualMinutes;
  const definition = parsed.file.jobs.get(job.key);
  const file = fileForRunner(parsed.file, {
    id: job.key,
    name: job.name,
    combination,
    labels,
    timeoutMinutes: minutes,
  });
  if (file === undefined || definition === undefined) return undefined;
  const policy = await loadActionsPolicy(tx, { id: run.repository_id, owner_id: run.owner_id });
  const rights = forkRights(policy, surroundings.repository);
  const { token: permissions } = permissionsOfJob(parsed.file, job.key, {
    byDefault: policy.defaultTokenPermissions,
    mayWrite: !run.is_from_fork || rights.writeTokens,
  });
  const until = addMinutes(now, minutes + tokenMinutesBeyond);
  const { token, row } = await createJobToken(tx, {
    repository: { id: run.repository_id, owner_id: run.owner_id },
    permissions,
    expiresAt: until,
    now,
  });
  const readable = readableRefs(run, surroundings.repository.default_branch);
  await putSteps(tx, stepsOf(job, definition));
  const jobs = grouped(await listJobsOfAttempt(tx, run.id, run.attempt), ({ key }) => key);
  const needs = definition.needs.map((need) => [need, resultOf((jobs.get(need) ?? []).map(resultOfJob))] as const);
  return {
    job: await updateJob(tx, job.id, { token_id: row.id }),
    file,
    context: {
      ...githubContext(run, surroundings),
      job: job.key,
      token,
      // Actions are taken from this server.
      gitea_default_actions_url: links.html,
      gitea_runtime_token: await signRuntimeToken(secrets, job, { readable, now, until }),
      retention_days: String(policy.retentionDays),
      ref_protected: (await findBranchProtection(tx, run.repository_id, run.ref)).isThis,
    },
    token,
    secrets: {
      ...(run.is_from_fork && !rights.secrets ? {} : await secretsOf(tx, secrets, { job, run })),
      ...(run.debugs ? debugSecrets : {}),
      GITHUB_TOKEN: token,
    },
    vars: Object.fromEntries(await loadVariablesForJob(tx, placeOf({ job, run }))),
    needs: Object.fromEntries(needs),
  };
}

/** What a job's secrets and variables are looked up by: the environment is the one that let it in, and no later one with its name. */
const placeOf = ({ job, run }: TakenJob) => ({ repository: run.repository_id, environment: job.environment_id ?? undefined });

/** The secrets of a job. A fork's pull request has none, as its author could read them, unless a private repository allows it. */
const secretsOf = async (db: Db, secrets: Secrets, taken: TakenJob): Promise<{ [name: string]: string }> =>
  Object.fromEntries(await loadSecretsForJob(db, secrets, placeOf(taken)));

/** Replaces what a job must not show in its log: its secrets, also line by line. A runner does so too, unless it forgets. */
export async function maskOf(db: Db, secrets: Secrets, taken: TakenJob): Promise<(text: string) => string> {
  const hidden = Object.values(await secretsOf(db, secrets, taken)).flatMap((value) => [value, ...value.split('\n')]);
  const longestFirst = unique(hidden.map((value) => value.trim())).filter((value) => value.length >= shortestMasked);
  longestFirst.sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((masked, value) => masked.replaceAll(value, '***'), text);
}

/** Shorter texts would be found everywhere. */
const shortestMasked = 3;

/** The steps of a job before it runs: those of its file, between the two that every job has. Names with expressions stay as they are written. */
function stepsOf({ id }: JobRow, { source }: WorkflowFileJob) {
  const steps = Array.isArray(source.steps) ? (source.steps as { [part: string]: Json }[]) : [];
  const names = ['Set up job', ...steps.map(nameOfStep), 'Complete job'];
  return names.map((name, at) => ({
    job_id: id,
    number: at + 1,
    name,
    status: 'queued' as const,
    conclusion: null,
    started_at: null,
    completed_at: null,
  }));
}

/** A step's own name, or what it runs (the public API's form). */
function nameOfStep({ name, uses, run }: { readonly [part: string]: Json }): string {
  if (typeof name === 'string' && name !== '') return name;
  const [line = ''] = String(run ?? '').split('\n');
  return uses === undefined ? `Run ${line}` : `Run ${String(uses)}`;
}
