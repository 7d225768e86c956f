import { type Account, anonymous, type RepositoryRow } from '#access/viewer.ts';
import { type Scope, scopeFor } from '#endpoint/scope.ts';
import { gather, getOptional, grouped, keyed } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { workflowUrl } from '#resources/actions/workflows/index.ts';
import { loadPullsOfHeads, type SimpleCommit } from '#resources/code/checks/index.ts';
import { type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import {
  loadReadableNamedRepositories,
  type MinimalRepository,
  presentRepositories,
  type RepositoryWithOwner,
  simpleRepositoryOf,
} from '#resources/repositories/repositories/index.ts';
import { sourceOf } from './logs/logs.ts';
import type { WorkflowJob, WorkflowRun, WorkflowRunInPayload } from './schemas.ts';
import { type AttemptRow, type JobRow, listReferenced, listSteps, loadRuns, type RunSummary, type StepRow } from './store.ts';

/** The address of a run in the API. */
export const runUrl = (urls: RepositoryUrls, id: RunSummary['id']): string => `${urls.url}/actions/runs/${id}`;

/** The page of a run. */
export const runPage = (urls: RepositoryUrls, id: RunSummary['id']): string => `${urls.html}/actions/runs/${id}`;

/** Presents a page of runs of one repository. */
export async function presentRuns(
  scope: Scope,
  repo: RepositoryWithOwner,
  rows: readonly RunSummary[],
  { withPulls }: { withPulls: boolean },
): Promise<WorkflowRun[]> {
  const { db, links, viewer } = scope;
  const urls = repositoryUrlsOf(links, repo);
  const heads = gather(rows, 'head_repository_id').filter((id) => id !== null && id !== repo.id);
  const [parts, forks] = await Promise.all([
    loadParts(scope, urls, rows, { withPulls }),
    loadReadableNamedRepositories(db, viewer, heads as readonly RepositoryRow['id'][]),
  ]);
  const repositories = keyed(await presentRepositories(scope, [repo, ...forks]), ({ id }) => id);
  const repository = firstOrNotFound([...repositories.values()]);
  return rows.map((row) => ({
    ...presentOneRun(links, urls, row, parts),
    repository,
    head_repository: headOf(row, repositories),
  }));
}

const headOf = (
  { head_repository_id: id }: RunSummary,
  repositories: ReadonlyMap<number, MinimalRepository>,
): MinimalRepository | null => (id === null ? null : (getOptional(repositories, id) ?? null));

/**
 * A run in payloads. Receivers of a repository's payloads may not be allowed to read a private repository that the run came from.
 */
export async function presentRunPayload(scope: Scope, repo: RepositoryWithOwner, row: RunSummary): Promise<WorkflowRunInPayload> {
  const { db, links } = scope;
  const urls = repositoryUrlsOf(links, repo);
  const isFork = row.head_repository_id !== null && row.head_repository_id !== repo.id;
  const [parts, forks] = await Promise.all([
    loadParts(scope, urls, [row], { withPulls: true }),
    isFork ? loadReadableNamedRepositories(db, anonymous, [row.head_repository_id as RepositoryRow['id']]) : [],
  ]);
  const shown = await presentRepositories(scopeFor(scope, anonymous), [repo, ...forks]);
  const repositories = keyed(shown, ({ id }) => id);
  const head = headOf(row, repositories);
  return {
    ...presentOneRun(links, urls, row, parts),
    repository: simpleRepositoryOf(firstOrNotFound(shown)),
    head_repository: head && simpleRepositoryOf(head),
  };
}

/** One run. */
export const presentRun = async (
  scope: Scope,
  repo: RepositoryWithOwner,
  row: RunSummary,
  options: { withPulls: boolean },
): Promise<WorkflowRun> => firstOrNotFound(await presentRuns(scope, repo, [row], options));

/** The row of a run as it was at the end of an attempt. */
export const runOfAttempt = (row: RunSummary, attempt: AttemptRow): RunSummary => ({
  ...row,
  attempt: attempt.attempt,
  status: 'completed',
  conclusion: attempt.conclusion as RunSummary['conclusion'],
  triggering_actor_id: attempt.triggering_actor_id,
  started_at: attempt.started_at,
  updated_at: attempt.updated_at,
});

/** The related data that runs include. */
type RunParts = {
  readonly accounts: ReadonlyMap<Account['id'], Account>;
  readonly pulls: Awaited<ReturnType<typeof loadPullsOfHeads>>;
  /** The workflows that runs call. */
  readonly referenced: ReadonlyMap<RunSummary['id'], Awaited<ReturnType<typeof listReferenced>>>;
};

async function loadParts(
  scope: Scope,
  urls: RepositoryUrls,
  rows: readonly RunSummary[],
  { withPulls }: { withPulls: boolean },
): Promise<RunParts> {
  const { db } = scope;
  const [accounts, pulls, referenced] = await Promise.all([
    loadAccounts(db, [...gather(rows, 'actor_id'), ...gather(rows, 'triggering_actor_id')]),
    withPulls ? loadPullsOfHeads(scope, urls, gather(rows, 'head_sha')) : new Map(),
    listReferenced(db, gather(rows, 'id')),
  ]);
  return { accounts, pulls, referenced: grouped(referenced, ({ run_id }) => run_id) };
}

/** A run without its repositories. */
function presentOneRun(
  links: Scope['links'],
  urls: RepositoryUrls,
  row: RunSummary,
  { accounts, pulls, referenced }: RunParts,
): Omit<WorkflowRun, 'repository' | 'head_repository'> {
  const url = runUrl(urls, row.id);
  const account = (id: RunSummary['actor_id']) => presentUserOrNull(links, id === null ? undefined : accounts.get(id));
  return {
    id: row.id,
    name: row.name,
    node_id: nodeId('WorkflowRun', row.id),
    ...(row.check_suite_id === null
      ? {}
      : { check_suite_id: row.check_suite_id, check_suite_node_id: nodeId('CheckSuite', row.check_suite_id) }),
    head_branch: row.head_branch,
    head_sha: row.head_sha,
    path: row.path,
    run_number: row.run_number,
    run_attempt: row.attempt,
    referenced_workflows: (referenced.get(row.id) ?? []).map(({ path, sha, ref }) => ({
      path,
      sha,
      ...(ref === null ? {} : { ref }),
    })),
    event: row.event,
    display_title: row.title,
    status: row.status,
    conclusion: row.conclusion,
    workflow_id: row.workflow_id,
    url,
    html_url: runPage(urls, row.id),
    pull_requests: [...(pulls.get(row.head_sha) ?? [])],
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    actor: account(row.actor_id),
    triggering_actor: account(row.triggering_actor_id),
    run_started_at: timestamp(row.started_at),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    // If the suite was deleted, the whole commit.
    check_suite_url:
      row.check_suite_id === null
        ? `${urls.url}/commits/${row.head_sha}/check-suites`
        : `${urls.url}/check-suites/${row.check_suite_id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: row.attempt > 1 ? `${url}/attempts/${row.attempt - 1}` : null,
    workflow_url: workflowUrl(urls, row.workflow_id),
    head_commit: row.head_commit as SimpleCommit, // as createRun wrote it
  };
}

/** Presents a page of jobs of one repository. */
export async function presentJobs({ db }: Scope, urls: RepositoryUrls, rows: readonly JobRow[]): Promise<WorkflowJob[]> {
  if (rows.length === 0) return [];
  const [runs, steps] = await Promise.all([loadRuns(db, gather(rows, 'run_id')), listSteps(db, rows.map(sourceOf))]);
  const byJob = grouped(steps, ({ job_id }) => job_id);
  return rows.flatMap((row) => {
    const run = runs.get(row.run_id);
    return run ? [presentOneJob(urls, run, row, byJob.get(sourceOf(row)) ?? [])] : [];
  });
}

/** One job. */
export const presentJob = async (scope: Scope, urls: RepositoryUrls, row: JobRow): Promise<WorkflowJob> =>
  firstOrNotFound(await presentJobs(scope, urls, [row]));

function presentOneJob(urls: RepositoryUrls, run: RunSummary, row: JobRow, steps: readonly StepRow[]): WorkflowJob {
  return {
    id: row.id,
    run_id: row.run_id,
    run_url: runUrl(urls, run.id),
    run_attempt: row.attempt,
    node_id: nodeId('WorkflowJob', row.id),
    head_sha: run.head_sha,
    url: jobUrl(urls, row.id),
    html_url: jobPage(urls, row),
    status: row.status,
    conclusion: row.conclusion,
    created_at: timestamp(row.created_at),
    started_at: timestamp(row.started_at ?? row.created_at),
    completed_at: timestampOrNull(row.completed_at),
    name: row.name,
    steps: steps.map((step) => ({
      status: step.status,
      conclusion: step.conclusion,
      name: step.name,
      number: step.number,
      started_at: timestampOrNull(step.started_at),
      completed_at: timestampOrNull(step.completed_at),
    })),
    // If its own check run was deleted, the whole commit.
    check_run_url:
      row.check_run_id === null ? `${urls.url}/commits/${run.head_sha}/check-runs` : `${urls.url}/check-runs/${row.check_run_id}`,
    labels: row.labels,
    runner_id: row.runner_id,
    runner_name: row.runner_name,
    runner_group_id: row.runner_group_id,
    runner_group_name: row.runner_group_name,
    workflow_name: run.name,
    head_branch: run.head_branch,
  };
}

/** The address of a job in the API. */
export const jobUrl = (urls: RepositoryUrls, id: JobRow['id']): string => `${urls.url}/actions/jobs/${id}`;

/** The page of a job. */
export const jobPage = (urls: Pick<RepositoryUrls, 'html'>, { id, run_id }: Pick<JobRow, 'id' | 'run_id'>): string =>
  `${urls.html}/actions/runs/${run_id}/job/${id}`;
