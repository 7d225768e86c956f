// What starts the analyses of default setups: pushes, pull requests, merge groups, the time, and organizations.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, type Recorded, subscription } from '#events/subscription.ts';
import { shortNameOf } from '#git/refs/ref-name.ts';
import { job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { createRun, runScope } from '#resources/actions/workflow-runs/index.ts';
import { loadProtections } from '#resources/code/branch-protection/index.ts';
import { loadTestedPull, mergeOfHead } from '#resources/collaboration/pulls/index.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { analysedProducts } from '#resources/repositories/repository-security/index.ts';
import { type Analysis, defaultBranchOf, prepareAnalysis, type Target } from './analyses.ts';
import { applySetup, nextWeekly } from './rules.ts';
import { listDueSetups, listSetupsOf, passDue, type SetupRow } from './store.ts';

const kinds = [
  'push',
  'pull_request.opened',
  'pull_request.reopened',
  'pull_request.synchronize',
  'pull_request.edited',
  'merge_group.checks_requested',
] as const;
type Starting = Recorded<(typeof kinds)[number]>;

/** Whether the server can analyse anything. Most servers can't, and then nothing is read of what happens. */
const hasAnalysers = ({ services: { analysers } }: JobContext): boolean =>
  analysedProducts.some((product) => analysers[product].size > 0);

/** Analyses what is pushed to the default branch and to protected ones, and what is proposed for them. */
export const analyseChanges = batchSubscription<Starting['kind'], JobContext>({
  name: 'default-setups.analyse',
  on: kinds,
  attempts: 25,
  async runAll(events, context) {
    const ids = unique(gather(events, 'repository').filter((id) => id !== undefined));
    if (ids.length === 0 || !hasAnalysers(context)) return;
    const setups = Map.groupBy(await listSetupsOf(context.db, ids), (row) => row.repository_id);
    if (setups.size === 0) return;
    const repositories = await loadNamedRepositories(context.db, [...setups.keys()]);
    for (const event of events) {
      const repository = event.repository && repositories.get(event.repository);
      if (!repository || repository.archived) continue;
      // Reading analysers and the files of a branch may take long.
      if (context.leaveToJob) context.leaveToJob(event);
      else await analyse(context, event, repository, setups.get(repository.id) ?? []);
    }
  },
});

async function analyse(
  context: JobContext,
  event: Starting,
  repository: RepositoryWithOwner,
  setups: readonly SetupRow[],
): Promise<void> {
  const target = await targetOf(context, event, repository);
  if (!target) return;
  for (const setup of setups) await startAnalysis(context, repository, setup, { ...target, eventId: event.id });
}

/** The commit that an event has analysed; undefined for a branch that isn't. */
async function targetOf(context: JobContext, event: Starting, repository: RepositoryWithOwner): Promise<Target | undefined> {
  const { actor } = event;
  switch (event.kind) {
    case 'push': {
      const [move] = event.data.moves;
      if (!move || move.after === null || !move.ref.startsWith('refs/heads/')) return undefined;
      const branch = shortNameOf(move.ref);
      if (!(await isAnalysed(context, repository, branch))) return undefined;
      return { ref: move.ref, sha: move.after, branch, title: `push to ${branch}`, actor };
    }
    case 'merge_group.checks_requested': {
      const { branch, ref, head } = event.data;
      if (!(await isAnalysed(context, repository, branch))) return undefined;
      return { ref, sha: head, branch: shortNameOf(ref), title: `merge group for ${branch}`, actor };
    }
    default:
      if (event.kind === 'pull_request.edited' && event.data.changes.base === undefined) return undefined;
      return pullTarget(context, event, repository);
  }
}

/**
 * The test merge of a pull request; undefined for one from a fork: its author may not write to the repository, and the token of
 * the job may. While the branches conflict, there is nothing to analyse.
 */
async function pullTarget(
  context: JobContext,
  event: Exclude<Starting, { kind: 'push' | 'merge_group.checks_requested' }>,
  repository: RepositoryWithOwner,
): Promise<Target | undefined> {
  const row = await loadTestedPull(context, { repository: repository.id, event }, event.data.issue);
  if (row?.state !== 'open' || row.head_repository_id !== repository.id) return undefined;
  if (!(await isAnalysed(context, repository, row.base_ref))) return undefined;
  const merge = mergeOfHead(row);
  if (merge === null) return undefined;
  return {
    ref: `refs/pull/${row.number}/merge`,
    sha: merge,
    branch: row.head_ref,
    title: `pull request #${row.number}`,
    pull: { issue: event.data.issue, head: row.head_sha },
    actor: event.actor,
  };
}

/** Whether pushes to a branch are analysed: to the default branch, and to protected ones. */
const isAnalysed = async ({ db }: JobContext, repository: RepositoryWithOwner, branch: string): Promise<boolean> =>
  branch === repository.default_branch || (await loadProtections(db, repository.id, [branch])).has(branch);

async function startAnalysis(
  { scope }: JobContext,
  repository: RepositoryWithOwner,
  setup: Analysis,
  target: Target,
): Promise<void> {
  const prepared = await prepareAnalysis(scope, repository, setup, target);
  // An analyser that can't be called makes a failed run, which says why.
  if (prepared) await runScope(scope).change((scope) => createRun(scope, prepared.run));
}

const batchSize = 100;

/** Starts the weekly analyses whose time has come. One whose time passed while no worker ran runs once, late. */
export const analyseWeekly = job<Record<string, never>, JobContext>({
  name: 'default-setups.weekly',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    if (!hasAnalysers(context)) return;
    const due = await listDueSetups(context.db, { until: context.now, limit: batchSize });
    const repositories = await loadNamedRepositories(context.db, unique(gather(due, 'repository_id')));
    for (const setup of due) {
      try {
        await runWeekly(context, setup, repositories.get(setup.repository_id));
      } catch (error) {
        // The time of this setup has passed, so the next one can run even if this one fails.
        context.log.error({ err: error, repository: setup.repository_id }, 'a weekly analysis could not start');
      }
    }
  },
});

async function runWeekly(context: JobContext, setup: SetupRow, repository: RepositoryWithOwner | undefined): Promise<void> {
  const { scope, now } = context;
  const isMine = await scope.change((scope) => passDue(scope.tx, setup, nextWeekly(setup.repository_id, now)));
  if (!isMine || !repository || repository.archived) return;
  const branch = await defaultBranchOf(scope, repository);
  if (!branch) return;
  const actor = setup.actor_id ?? repository.created_by ?? repository.owner_id;
  await startAnalysis(context, repository, setup, { ...branch, title: `weekly, ${branch.branch}`, actor });
}

/** Gives repositories the default setups that their organization wants, and analyses them. */
export const applyRequested = subscription<'code_scanning_setup.requested', JobContext>({
  name: 'default-setups.apply',
  on: ['code_scanning_setup.requested'],
  attempts: 25,
  queue: ({ repository }) => `default-setups:${repository}`,
  async run({ repository: id, actor, data }, context) {
    const repository = await findNamed(context, id);
    if (!repository) return;
    const { scope, now } = context;
    const by = actor === undefined ? {} : { account: { id: actor } };
    const applied = await scope.change((scope) => applySetup(scope, { repo: repository, by, now }, data.setup));
    const branch = applied && !repository.archived && (await defaultBranchOf(scope, repository));
    if (applied && branch)
      await startAnalysis(context, repository, applied, { ...branch, title: `new setup, ${branch.branch}`, actor });
  },
});

const findNamed = async ({ db }: JobContext, id: Id<'repositories'> | undefined): Promise<RepositoryWithOwner | undefined> =>
  id === undefined ? undefined : (await loadNamedRepositories(db, [id])).get(id);
