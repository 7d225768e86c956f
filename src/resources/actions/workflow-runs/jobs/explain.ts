// Why a job waits.
import type { Db } from '#database/connect.ts';
import { unknownAddress } from '#endpoint/change-in.ts';
import { linksOf } from '#endpoint/links.ts';
import { asId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import { timestamp } from '#lib/time.ts';
import { loadSubject } from '#resources/actions/identity-tokens/index.ts';
import { labelsOf, runnerLimits } from '#resources/actions/runners/index.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { standingOf } from '../planning/called-jobs.ts';
import { loadContextFacts } from '../planning/context-facts.ts';
import { planOf } from '../planning/kept-plan.ts';
import { findJob, findRun } from '../store.ts';
import { loadIdentity } from '../tasks/identity.ts';
import { explainRegistries } from '../tasks/registries.ts';
import {
  type CandidateRunner,
  findJobFacts,
  type HeldGroup,
  type HostedCandidate,
  type JobFacts,
  listCandidates,
  listHostedCandidates,
} from './explain-store.ts';

/** A check, and whether the job passes it. */
type WaitingStep = { readonly check: string; readonly passed: boolean; readonly because: string };

/** Why a job waits, step by step; `name` is undefined if the job doesn't exist. */
type JobExplanation = {
  readonly name: string | undefined;
  readonly steps: readonly WaitingStep[];
  readonly waits: boolean;
  readonly message: string;
};

const offlineAfter = fixedValue(runnerLimits.offline);
const mostRunners = 10_000;

/**
 * Explains why a job of a repository waits: the first check that fails is the reason.
 * @param options `runsHosted`: whether the server starts programs for jobs of hosted runners; `secrets` opens the registries that
 * the job names
 */
export async function explainJob(
  db: Db,
  { owner, name, job: id }: { owner: string; name: string; job: number },
  { now, runsHosted, secrets }: { now: Date; runsHosted: boolean; secrets: Secrets },
): Promise<JobExplanation> {
  const job = await findJobFacts(db, owner, name, asId(id));
  if (!job) return { name: undefined, steps: [], waits: false, message: `There is no job ${id} in ${owner}/${name}` };
  const steps = [stateStep(job), ...(job.status === 'completed' || job.status === 'in_progress' ? [] : turnSteps(job))];
  if (job.status === 'queued') steps.push(...(await registrySteps(db, secrets, job)));
  const isItsTurn = job.status === 'queued' && steps.every(({ passed }) => passed);
  if (isItsTurn) {
    const [runners, hosted] = await Promise.all([
      listCandidates(db, job.id, mostRunners),
      listHostedCandidates(db, job.id, mostRunners),
    ]);
    steps.push(...(hosted.length > 0 ? hostedSteps(hosted, runsHosted) : runnerSteps(job, runners, now)));
  }
  const reason = steps.find(({ passed }) => !passed);
  const waits = job.status !== 'completed' && job.status !== 'in_progress';
  const message = reason?.because ?? (waits ? 'a runner can take it now' : (steps[0]?.because ?? ''));
  return { name: job.name, steps, waits, message };
}

/** The registries that a job names, if its workflow file can still be read. */
async function registrySteps(db: Db, secrets: Secrets, { id, run_id }: JobFacts): Promise<WaitingStep[]> {
  const [run, job] = await Promise.all([findRun(db, run_id), findJob(db, id)]);
  const workflow = run && (await loadWorkflow(db, run));
  const standing = job && workflow && standingOf(workflow, job);
  if (!run || !job || !standing) return [];
  const findSubject = async (): Promise<string> => {
    const facts = await loadContextFacts(db, run, linksOf(unknownAddress));
    return facts ? loadSubject(db, await loadIdentity(db, { job, run }, facts, workflow)) : '';
  };
  const explained = await explainRegistries(db, secrets, { run, standing, findSubject });
  return explained.map(({ passed, because }) => ({ check: 'private registry', passed, because }));
}

function stateStep({ status, conclusion, runner_name, queued_at }: JobFacts): WaitingStep {
  const because = {
    completed: `it is over: ${conclusion}`,
    in_progress: `${runner_name} runs it`,
    queued: `it is in the queue${queued_at ? ` since ${timestamp(queued_at)}` : ''}`,
    pending: 'it waits for its turn',
    waiting: 'it waits for its environment',
  }[status];
  return { check: 'state', passed: true, because };
}

/** Whether it is the job's turn, regardless of runners. */
function turnSteps(job: JobFacts): WaitingStep[] {
  const { run_id, run_status, run_conclusion, max_parallel, in_progress, status } = job;
  const goesOn = run_status === 'queued' || run_status === 'in_progress' || run_status === 'waiting';
  const steps: WaitingStep[] = [];
  if (run_conclusion === 'action_required')
    steps.push({ check: 'run', passed: false, because: `run ${run_id} waits until somebody with write access approves it` });
  else if (job.run_concurrency) steps.push(concurrencyStep(`run ${run_id}`, job.run_concurrency));
  else steps.push({ check: 'run', passed: goesOn, because: `run ${run_id} is ${run_status.replace('_', ' ')}` });
  if (status === 'waiting') {
    const environment = planOf(job).environment?.name ?? '';
    steps.push({ check: 'environment', passed: false, because: `the environment ${environment} wants an approval or a pause` });
  }
  if (job.job_concurrency) steps.push(concurrencyStep('it', job.job_concurrency));
  if (max_parallel !== null)
    steps.push({
      check: 'max-parallel',
      passed: in_progress < max_parallel,
      because: `${in_progress} of at most ${max_parallel} jobs of its matrix are in progress`,
    });
  return steps;
}

const concurrencyStep = (who: string, { name, holder }: HeldGroup): WaitingStep => ({
  check: 'concurrency',
  passed: false,
  because: `${who} waits for the concurrency group ${name}${holder === null ? '' : `, which run ${holder} has`}`,
});

/** Hosted runners that the job names: one with capacity starts a program for the job. */
function hostedSteps(hosted: readonly HostedCandidate[], runsHosted: boolean): WaitingStep[] {
  const names = hosted.map(({ name }) => name).join(', ');
  const steps: Narrowing<HostedCandidate>[] = [
    ['repository', ({ serves }) => serves, 'are for the repository'],
    ['workflow', ({ takes }) => takes, 'are for the workflow'],
    ['ready', ({ status }) => status === 'Ready', 'are ready', problemOf],
    ['maximum', ({ programs, maximum_runners }) => programs < maximum_runners, 'may start another program'],
  ];
  return [
    { check: 'hosted runners', passed: true, because: `it names ${names}` },
    {
      check: 'provider',
      passed: runsHosted,
      because: runsHosted
        ? 'programs are started for jobs'
        : 'nothing runs jobs on hosted runners: see HEARTH_RUNNER_PROVIDER and HEARTH_RUNNER_PROGRAM',
    },
    ...narrow('hosted runners', hosted, steps),
  ];
}

/** Self-hosted runners: how many remain after each check. */
function runnerSteps(job: JobFacts, runners: readonly CandidateRunner[], now: Date): WaitingStep[] {
  const { labels, group_name } = job;
  const isOnline = ({ busy, seen_at }: CandidateRunner) =>
    busy || (seen_at !== null && now.getTime() - seen_at.getTime() <= offlineAfter);
  const hasLabels = (runner: CandidateRunner) => {
    const own = new Set(labelsOf(runner));
    return labels.every((label) => own.has(label));
  };
  if (runners.length === 0)
    return [{ check: 'runners', passed: false, because: 'neither the repository nor its organization has a runner' }];
  const inGroup: Narrowing<CandidateRunner> = ['group', ({ named }) => named, `are in the group ${group_name}`];
  const steps: Narrowing<CandidateRunner>[] = [
    ['repository', ({ serves }) => serves, 'are for the repository'],
    ['workflow', ({ takes }) => takes, 'are for the workflow'],
    ...(group_name === null ? [] : [inGroup]),
    ['labels', hasLabels, `have the labels ${labels.join(', ')}`],
    ['online', isOnline, 'are online'],
    ['free', ({ busy }) => !busy, 'have no job'],
  ];
  return [
    { check: 'runners', passed: true, because: `the repository and its organization have ${runners.length} of their own` },
    ...narrow('runners', runners, steps),
  ];
}

/** `reason`: why one candidate doesn't fit, if more is known. */
type Narrowing<Candidate> = readonly [
  check: string,
  fits: (candidate: Candidate) => boolean,
  text: string,
  reason?: (candidate: Candidate) => string | undefined,
];

const problemOf = ({ name, status, problem }: HostedCandidate): string | undefined =>
  status === 'Stuck' && problem !== null ? `${name}: ${problem}` : undefined;

/** A step for each condition, up to the first that none of the remaining runners meets. */
function narrow<Candidate>(noun: string, all: readonly Candidate[], conditions: readonly Narrowing<Candidate>[]): WaitingStep[] {
  const steps: WaitingStep[] = [];
  let left = all;
  for (const [check, fits, text, reason] of conditions) {
    const kept = left.filter(fits);
    const reasons = kept.length > 0 ? [] : left.map((candidate) => reason?.(candidate)).filter((given) => given !== undefined);
    const because = [`${kept.length} of ${left.length} ${noun} ${text}`, ...reasons].join('; ');
    steps.push({ check, passed: kept.length > 0, because });
    if (kept.length === 0) break;
    left = kept;
  }
  return steps;
}
