// What becomes of a search whose run has ended.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { stepsOfAllWork } from '#lib/pattern-steps.ts';
import { listRegistriesForServer } from '#resources/actions/private-registries/index.ts';
import { listJobsOfAttempt, loadRuns } from '#resources/actions/workflow-runs/index.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { decodeResult, type UpdateResponse, updateJob } from '#resources/security/dependency-bot/index.ts';
import { botActionIn } from './bot.ts';
import { updateLimits } from './limits.ts';
import { closeProposal, propose } from './proposals.ts';
import { queueOf } from './queue.ts';
import { updateVulnerable } from './security.ts';
import { isIn, registryTypeOf } from './settings.ts';
import {
  endUpdate,
  findProposal,
  isFor,
  listLostUpdates,
  listOpenProposals,
  listUndone,
  listUndoneKeys,
  removeOldUpdates,
  type UpdateRow,
} from './store.ts';
import { subjectsOf } from './subjects.ts';
import { closingTexts } from './texts.ts';
import { enqueueWaiting } from './versions.ts';

/** Queues the results of searches whose runs have ended. */
export const followRuns = batchSubscription<'workflow_run.completed', JobContext>({
  name: 'dependency-updates.follow-runs',
  on: ['workflow_run.completed'],
  attempts: 10,
  async runAll(events, { db, change }) {
    const runs = unique(events.flatMap(({ data }) => (data.dynamic ? data.run : [])));
    const updates = runs.length > 0 ? await listUndoneKeys(db, runs) : [];
    if (updates.length > 0) await change(({ tx }) => enqueueAll(tx, finishUpdates, updates.map(entryOf)));
  },
});

type Payload = { readonly run: Id<'workflow_runs'> };

/** The searches of a repository end one after the other, so that their limits hold. */
const entryOf = ({ repository_id, run_id }: Pick<UpdateRow, 'repository_id' | 'run_id'>) => ({
  payload: { run: run_id } as Payload,
  options: { queue: queueOf(repository_id) },
});

/** Makes pull requests of what a search has found. */
export const finishUpdates = job<Payload, JobContext>({
  name: 'dependency-updates.finish',
  attempts: 10,
  async run({ run }, context) {
    const [update] = await listUndone(context.db, [run]);
    const repository = update && (await loadNamedRepositories(context.db, [update.repository_id])).get(update.repository_id);
    if (!update || !repository) return;
    const found = await resultOf(context, run);
    const problem = 'problem' in found ? found.problem : await applyResult(context, repository, update, found);
    const ended = { state: 'problem' in found ? ('failed' as const) : ('done' as const), problem, ended_at: context.now };
    const isEnded = await context.change(async ({ tx }) => {
      if (!(await endUpdate(tx, update.id, ended))) return false;
      await enqueueWaiting(tx, [repository.id]);
      return true;
    });
    if (!isEnded) return;
    // Alerts may have changed while it ran.
    if (update.kind === 'security') await updateVulnerable(context, repository, { unlessSame: 'request' });
  },
});

/** What the job of a run returned, or why there is nothing. */
async function resultOf({ db }: JobContext, id: Id<'workflow_runs'>): Promise<UpdateResponse | { readonly problem: string }> {
  const run = (await loadRuns(db, [id])).get(id);
  if (run?.status !== 'completed') return { problem: 'Its run was deleted' };
  const job = (await listJobsOfAttempt(db, run.id, run.attempt)).find(({ key }) => key === updateJob);
  if (run.conclusion !== 'success' || !job) return { problem: job?.problem ?? `Its run ended with ${run.conclusion}` };
  const { result } = job.outputs as { readonly result?: string };
  const decoded = result === undefined ? undefined : await decodeResult(result);
  return decoded ?? { problem: 'Its job returned no valid result' };
}

const maxProblem = 10_000;

/** Proposes what was found. @returns what it couldn't do; null if nothing is left */
async function applyResult(
  context: JobContext,
  repository: RepositoryWithOwner,
  update: UpdateRow,
  { results, skipped }: UpdateResponse,
): Promise<string | null> {
  const action = await botActionIn(context.scope, repository);
  if (!action) return 'The bot has no access to the repository';
  const problems = [
    ...(await registryProblems(context, repository, update)),
    ...skipped.map(({ name, reason }) => (name === undefined ? reason : `${name}: ${reason}`)),
  ];
  const subjects = subjectsOf(results, await listOpenProposals(context.db, repository.id), update);
  for (const [at, found] of results.entries()) {
    const problem = await proposeWithinLimit(context, { repository, action, update }, found, subjects[at]);
    if (problem !== undefined)
      problems.push(`${found.group ?? unique(gather(found.dependencies, 'name')).join(', ')}: ${problem}`);
  }
  if (update.recreates_id !== null && results.length === 0 && skipped.length === 0) {
    const recreated = await findProposal(context.db, update.recreates_id);
    if (recreated?.is_open) await closeProposal(context, action, recreated, closingTexts.done);
  }
  return problems.length === 0 ? null : problems.join('\n').slice(0, maxProblem);
}

type Proposing = Parameters<typeof propose>[1];

/** Proposes an update, unless too many are open. @returns why it doesn't */
async function proposeWithinLimit(
  context: JobContext,
  proposing: Proposing,
  found: UpdateResponse['results'][number],
  subject: string | undefined,
): Promise<string | undefined> {
  // Two about the same versions would supersede each other at each search.
  if (subject === undefined) return 'another update of it is proposed';
  if (await isAtLimit(context, proposing.update, subject)) return 'too many pull requests are open';
  return propose(context, proposing, found, subject);
}

/** The registries that the job didn't get. */
async function registryProblems(
  { db, services }: JobContext,
  repository: RepositoryWithOwner,
  { ecosystem }: UpdateRow,
): Promise<string[]> {
  const { refused } = await listRegistriesForServer(db, services.secrets, repository, registryTypeOf(ecosystem));
  return refused.map(({ name, reason }) => `the private registry ${name} can't be used: ${reason}`);
}

/** Whether too many pull requests are open for another one. One that supersedes another is none more. */
async function isAtLimit({ db }: JobContext, update: UpdateRow, subject: string): Promise<boolean> {
  const { kind, ecosystem, target_branch, options } = update;
  const all = await listOpenProposals(db, update.repository_id);
  const open = all.filter((row) => row.kind === kind);
  const same = open.filter((row) => row.ecosystem === ecosystem && row.target_branch === target_branch);
  if (same.some((row) => row.subject === subject && isFor(row, update))) return false;
  // All of them are read together, at each push.
  if (all.length >= fixedValue(updateLimits.openPulls)) return true;
  if (kind === 'security') return open.length >= fixedValue(updateLimits.securityPulls);
  const { limit, directories } = options;
  if (limit === undefined || directories === undefined) return false;
  const work = stepsOfAllWork();
  let count = 0;
  for (const { directory } of same) if (await isIn({ directories }, directory, work)) count += 1;
  return count >= limit;
}

/** Runs end after six hours at most. Those of searches end earlier. */
const lostAfter = 24 * 3_600_000;

/** Ends searches whose runs were deleted, and deletes old ones. */
export const cleanUpdates = job<Record<string, never>, JobContext>({
  name: 'dependency-updates.clean',
  attempts: 1,
  schedule: { cron: '41 * * * *' },
  async run(_payload, { db, change, now }) {
    const lost = await listLostUpdates(db, new Date(now.getTime() - lostAfter));
    for (const { id } of lost)
      await change(({ tx }) => endUpdate(tx, id, { state: 'failed', problem: 'Its run did not end', ended_at: now }));
    if (lost.length > 0) await change(({ tx }) => enqueueWaiting(tx, unique(gather(lost, 'repository_id'))));
    await change(({ tx }) => removeOldUpdates(tx, new Date(now.getTime() - fixedValue(updateLimits.keptUpdates))));
  },
});
