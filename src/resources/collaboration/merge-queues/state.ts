// Loads what a merge queue is decided from: its entries, their pull requests, the branches of its groups, and their checks.
import type { Needs, Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { gather, unique } from '#lib/collections.ts';
import { addMinutes } from '#lib/time.ts';
import {
  type EvaluateMove,
  findMergeQueue,
  type MoveEvaluation,
  moveEvaluator,
  type QueueParameters,
  queueDefaults,
} from '#resources/code/ref-rules/index.ts';
import { loadPulls, type PullRow } from '#resources/collaboration/pulls/index.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { QueuedEntry, QueueState } from './decide.ts';
import { mergeQueueLimits } from './limits.ts';
import {
  type CheckResult,
  type EntryRow,
  findAllowed,
  type Group,
  groupOf,
  listEntries,
  type QueueKey,
  type Removal,
  saveChecks,
} from './store.ts';

/** Rules are evaluated for the groups of a queue. */
type QueueScope = Scope & Needs<'refRules' | 'resourceLimits'>;

/** What was found out about groups, by `resultKey`. */
export type KnownResults = Map<string, GroupResult>;

export const resultKey = ({ issue_id, group_head_sha }: EntryRow): string => `${issue_id} ${group_head_sha}`;

/** A queue with all that is known of it. `refs` are the branches that exist. */
export type LoadedQueue = {
  readonly key: QueueKey;
  readonly repo: RepositoryWithOwner;
  readonly rows: readonly EntryRow[];
  readonly pulls: ReadonlyMap<PullRow['id'], PullRow>;
  readonly refs: ReadonlyMap<string, Oid>;
  readonly state: QueueState;
};

export const methodOf = ({ merge_method }: QueueParameters) => merge_method.toLowerCase() as 'merge' | 'squash' | 'rebase';

/**
 * The state of a queue; undefined where it has no entries. What checks say of its groups is found out and stored.
 *
 * @param known results of groups, to which this adds: a run of the queue evaluates each group once
 */
export async function loadQueue(scope: QueueScope, key: QueueKey, known: KnownResults): Promise<LoadedQueue | undefined> {
  const queue = await readQueue(scope, key, known);
  if (queue && queue.changed.length > 0) await saveChecks(scope.db, queue.changed, scope.now);
  return queue;
}

/** The same, and nothing is stored. */
export async function readQueue(
  scope: QueueScope,
  key: QueueKey,
  known: KnownResults,
): Promise<(LoadedQueue & { changed: readonly CheckResult[] }) | undefined> {
  const { db, now, git } = scope;
  const rows = await listEntries(db, key);
  if (rows.length === 0) return undefined;
  const ref = branchRef(key.branch);
  const [repositories, pulls, refs] = await Promise.all([
    loadNamedRepositories(db, [key.repository]),
    loadPulls(db, gather(rows, 'issue_id')),
    findRefOids(repoOf(git, key.repository), [ref, ...rows.flatMap(({ group_ref }) => group_ref ?? [])]),
  ]);
  const repo = repositories.get(key.repository);
  if (!repo) return undefined;
  const [parameters, allowed] = await Promise.all([
    findMergeQueue(db, repo, ref),
    findAllowed(db, repo, unique(rows.flatMap(({ enqueued_by }) => enqueued_by ?? []))),
  ]);
  const tip = refs.get(ref);
  const general = !parameters
    ? cleared('The branch has no merge queue any more.')
    : tip === undefined
      ? cleared('The base branch was deleted.')
      : undefined;
  // Without a rule, all entries are removed, and parameters decide nothing.
  const queue = { key, repo, parameters: parameters ?? queueDefaults };
  const evaluate = groupEvaluator(scope, queue);
  const entries: QueuedEntry[] = [];
  const changed: CheckResult[] = [];
  const { evaluatedGroups } = scope.services.resourceLimits.of(mergeQueueLimits);
  let notPassed = 0;
  for (const row of rows) {
    const pull = pulls.get(row.issue_id);
    const obstacle = general ?? obstacleOf(row, pull, allowed);
    const group = groupOf(row);
    const isThere = group !== undefined && refs.get(group.ref) === group.head;
    if (!pull || obstacle || !isThere || row.requested_at === null) {
      // A group without its branch is made anew: it stands upon nothing.
      entries.push({ obstacle, group: group && { ...group, base: isThere ? group.base : '', ...storedResult(row) } });
      continue;
    }
    // Groups behind many that have not passed wait, so that a long queue takes no more statements than a short one.
    const isWanted = row.checks !== 'success' && notPassed < evaluatedGroups;
    const result = isWanted
      ? (known.get(resultKey(row)) ?? resultOf(scope, queue.parameters, row, await evaluate({ row, pull, group })))
      : storedResult(row);
    if (isWanted) known.set(resultKey(row), result);
    if (result.checks !== 'success') notPassed++;
    if (result.checks !== row.checks) changed.push({ issue: row.issue_id, checks: result.checks });
    const passedAt = result.checks === 'success' ? (row.passed_at ?? now) : undefined;
    entries.push({ obstacle: result.broken, group: { ...group, ...result, requestedAt: row.requested_at, passedAt } });
  }
  const state = { parameters: queue.parameters, tip: tip ?? '', entries, now };
  return { key, repo, rows, pulls, refs, state, changed };
}

const cleared = (message: string): Removal => ({ reason: 'QUEUE_CLEARED', message });

/** Why an entry can't stay in its queue. */
function obstacleOf(
  entry: EntryRow,
  pull: PullRow | undefined,
  allowed: ReadonlySet<NonNullable<EntryRow['enqueued_by']>>,
): Removal | undefined {
  const { base_ref, head_sha, enqueued_by, dequeued_at } = entry;
  if (!pull) return { reason: 'MANUAL', message: 'The pull request was deleted.' };
  if (pull.merged_at !== null) return { reason: 'ALREADY_MERGED', message: 'The pull request was merged otherwise.' };
  if (dequeued_at !== null) return { reason: 'MANUAL', message: 'Somebody removed the pull request from the queue.' };
  if (pull.state === 'closed') return { reason: 'MANUAL', message: 'The pull request was closed.' };
  if (pull.is_draft) return { reason: 'MANUAL', message: 'The pull request was made a draft.' };
  if (pull.base_ref !== base_ref) return { reason: 'MANUAL', message: 'The pull request got another base.' };
  if (pull.head_sha !== head_sha) return { reason: 'INVALID_MERGE_COMMIT', message: 'The pull request got other commits.' };
  if (enqueued_by === null) return { reason: 'MANUAL', message: 'The account that added it was deleted.' };
  return allowed.has(enqueued_by) ? undefined : { reason: 'MANUAL', message: 'Who added it may not merge it any more.' };
}

/** What checks and other rules say of a group. */
type GroupResult = {
  readonly checks: CheckResult['checks'];
  readonly failure: Removal | undefined;
  /** Which checks have not passed. */
  readonly missing: string | undefined;
  /** What else keeps the entry from being merged. */
  readonly broken: Removal | undefined;
};

const storedResult = ({ checks, requested_at, passed_at }: EntryRow) => ({
  checks: checks ?? ('pending' as const),
  failure: undefined,
  missing: undefined,
  broken: undefined,
  requestedAt: requested_at ?? new Date(0),
  passedAt: passed_at ?? undefined,
});

/** The rules that are about the checks of a commit. */
const aboutChecks: readonly string[] = ['required_status_checks', 'code_scanning', 'required_deployments', 'workflows'];

type Grouped = { readonly row: EntryRow; readonly pull: PullRow; readonly group: Group };

type Evaluated = Pick<LoadedQueue, 'key' | 'repo'> & { readonly parameters: QueueParameters };
type EvaluateGroup = (grouped: Grouped) => Promise<readonly MoveEvaluation[]>;

/**
 * Evaluates what the rules of the base say of the merge of an entry, as who added it makes it. The rules are loaded once for
 * each of these people.
 */
export function groupEvaluator(scope: QueueScope, { key, repo, parameters }: Evaluated): EvaluateGroup {
  const evaluators = new Map<EntryRow['enqueued_by'], Promise<EvaluateMove>>();
  const ref = branchRef(key.branch);
  return async ({ row, pull, group }) => {
    const account = row.enqueued_by ?? undefined;
    const evaluator = evaluators.get(row.enqueued_by) ?? moveEvaluator(scope, { repo, actor: { account }, ref });
    evaluators.set(row.enqueued_by, evaluator);
    const merge = { ...pull, method: methodOf(parameters) };
    return (await evaluator)({ ref, before: group.base, after: group.head }, { merge, queue: 'merging' });
  };
}

/** What evaluations mean for an entry. Nobody bypasses checks in a queue: who may do so can merge without it. */
export function meaningOf(
  evaluations: readonly MoveEvaluation[],
  { isLate, minutes }: { isLate: boolean; minutes: number },
): GroupResult {
  const violations = evaluations
    .flatMap((one) => one.evaluations)
    .filter(({ violation, applied }) => violation !== undefined && applied.enforcement === 'active');
  const broken = violations.filter(({ applied, isBypassed }) => !isBypassed && !aboutChecks.includes(applied.rule.type));
  const ofChecks = violations.filter(({ applied }) => aboutChecks.includes(applied.rule.type));
  const messageOf = (found: typeof violations) => found.map(({ violation }) => violation).join(' ');
  const failed = ofChecks.filter(({ isPending }) => !isPending);
  const timedOut = isLate && ofChecks.length > 0 && failed.length === 0;
  const late = `Checks did not report within ${minutes} minutes: ${messageOf(ofChecks)}`;
  return {
    checks: ofChecks.length === 0 ? 'success' : failed.length > 0 || isLate ? 'failure' : 'pending',
    failure: timedOut
      ? { reason: 'CI_TIMEOUT', message: late }
      : failed.length > 0
        ? { reason: 'CI_FAILURE', message: messageOf(failed) }
        : undefined,
    missing: ofChecks.length === 0 ? undefined : messageOf(ofChecks),
    broken: broken.length === 0 ? undefined : { reason: 'BRANCH_PROTECTIONS', message: messageOf(broken) },
  };
}

function resultOf(
  { now }: QueueScope,
  { check_response_timeout_minutes: minutes }: QueueParameters,
  { requested_at }: EntryRow,
  evaluations: readonly MoveEvaluation[],
): GroupResult {
  const isLate = addMinutes(requested_at ?? now, minutes) <= now;
  return meaningOf(evaluations, { isLate, minutes });
}
