// What keeps a pull request from being merged, as its page says it: in the words of the rules, each with whose turn it is.

import { reaches } from '#access/roles.ts';
import type { Repo } from '#access/viewer.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { behindBase, type Evaluation, evaluateMerge, sourceName } from '#resources/code/ref-rules/index.ts';
import type { PullRow } from '#resources/collaboration/pulls/index.ts';
import { changesRequested, conversationsOpen, loadDecidingReviews } from '#resources/collaboration/reviews/index.ts';
import { loadAccountsOnce, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { explainQueue } from '../explain.ts';
import { stateOf } from '../present.ts';
import { findEntry } from '../store.ts';
import type { MergeState, Reason, Turn } from './schemas.ts';

type MergeScope = Scope & Needs<'refRules' | 'resourceLimits'>;

const fact = (kind: Reason['kind'], state: Reason['state'], message: string, turn: Turn | null): Reason => ({
  kind,
  rule: null,
  state,
  message,
  source: null,
  turn,
});

/** The state of the merge of a pull request, for the viewer. */
export async function presentMergeState(scope: MergeScope, repo: Repo, pull: PullRow): Promise<MergeState> {
  const isOpen = pull.state === 'open';
  const [decided, merge] = await Promise.all([
    loadDecidingReviews(scope.db, [pull.id]),
    isOpen ? openState(scope, repo, pull) : closedState,
  ]);
  const { links } = scope;
  const others = decided.filter(({ author_id }) => author_id !== pull.author_id);
  const accounts = await loadAccountsOnce(scope, gather(others, 'author_id'));
  const mayMerge = isOpen && reaches(repo.role, 'write');
  return {
    ...merge,
    is_ready: mayMerge && merge.reasons.every(({ state }) => state !== 'broken' && state !== 'waiting'),
    may_merge: mayMerge,
    methods: [
      ...(repo.allow_merge_commit ? (['merge'] as const) : []),
      ...(repo.allow_squash_merge ? (['squash'] as const) : []),
      ...(repo.allow_rebase_merge ? (['rebase'] as const) : []),
    ],
    reviewers: others.map(({ author_id, state, commit_sha }) => ({
      user: presentUserOrNull(links, getOptional(accounts, author_id)),
      state: states[state],
      is_of_present_head: commit_sha === pull.head_sha,
    })),
    head_is_deleted: pull.head_is_deleted,
  };
}

const states = { APPROVED: 'approved', CHANGES_REQUESTED: 'changes_requested', DISMISSED: 'dismissed' } as const;

type OpenState = Pick<MergeState, 'reasons' | 'has_queue' | 'queue'>;

const closedState: OpenState = { reasons: [], has_queue: false, queue: null };

async function openState(scope: MergeScope, repo: Repo, pull: PullRow): Promise<OpenState> {
  const base = await findBranch(repoOf(scope.git, repo.id), pull.base_ref);
  if (!base) {
    const gone = `The base branch ${pull.base_ref} doesn't exist any more.`;
    return { ...closedState, reasons: [fact('base', 'broken', gone, 'author')] };
  }
  const move = { ref: branchRef(pull.base_ref), before: base.oid, after: pull.merge_commit_sha ?? pull.head_sha };
  const actor = { account: scope.viewer.account?.id };
  const [{ evaluations, hasQueue }, queue] = await Promise.all([
    evaluateMerge(scope, { repo, merge: pull, move, actor }),
    repo.has_merge_queue ? queueState(scope, repo, pull) : null,
  ]);
  const reasons = [
    ...ownReasons(pull, base.oid),
    ...(queue ? [fact('queue', 'waiting', queue.waits_for ?? 'It waits in the merge queue.', 'queue')] : []),
    ...evaluations.filter(({ applied }) => applied.rule.type !== 'merge_queue').map(reasonOf),
  ];
  return { reasons, has_queue: hasQueue, queue };
}

/** What the pull request itself says: a draft, conflicts, or a merge that isn't tested yet. */
function ownReasons(pull: PullRow, base: string): Reason[] {
  const isTested = pull.is_mergeable !== null && pull.tested_base_sha === base && pull.tested_head_sha === pull.head_sha;
  return [
    ...(pull.is_draft ? [fact('draft', 'broken', 'It is a draft: its author hasn’t marked it ready for review.', 'author')] : []),
    isTested
      ? pull.is_mergeable
        ? fact('conflicts', 'kept', 'It has no conflicts with its base.', null)
        : fact('conflicts', 'broken', 'It conflicts with its base, which has to be merged into it.', 'author')
      : fact('testing', 'waiting', 'Whether it can be merged is being tested.', 'server'),
  ];
}

/** The entry of a pull request in the queue of its base, and what it waits for; null where it isn't in one. */
async function queueState(scope: MergeScope, repo: Repo, pull: PullRow): Promise<MergeState['queue']> {
  const entry = await findEntry(scope.db, pull.id);
  if (!entry || entry.removed_at !== null) return null;
  const { steps } = await explainQueue(scope, repo, pull.base_ref);
  const step = steps.find(({ check }) => check === `#${pull.number}`);
  return { position: entry.rank, state: stateOf(entry), waits_for: step?.because ?? null };
}

/** What a rule says, and whose turn it is. */
function reasonOf({ applied, violation, isPending, isBypassed }: Evaluation): Reason {
  const common = { kind: 'rule' as const, rule: applied.rule.type, source: sourceName(applied) };
  if (violation === undefined) return { ...common, state: 'kept', message: keptWords(applied.rule.type), turn: null };
  if (applied.enforcement !== 'active') return { ...common, state: 'tried_out', message: violation, turn: null };
  const turn = turnOf(applied.rule.type, violation, isPending);
  if (isBypassed) return { ...common, state: 'bypassed', message: violation, turn };
  return { ...common, state: isPending ? 'waiting' : 'broken', message: violation, turn };
}

function keptWords(type: Evaluation['applied']['rule']['type']): string {
  switch (type) {
    case 'pull_request':
      return 'The required reviews are there.';
    case 'required_status_checks':
      return 'All required checks have passed.';
    case 'required_conversation_resolution':
      return 'All conversations on code are resolved.';
    default:
      return `The rule ${type.replaceAll('_', ' ')} is kept.`;
  }
}

function turnOf(type: Evaluation['applied']['rule']['type'], violation: string, isPending: boolean): Turn {
  if (violation === behindBase || violation === changesRequested || violation === conversationsOpen) return 'author';
  if (type === 'pull_request') return 'reviewers';
  if (isPending) return 'checks';
  const areChecks: readonly string[] = ['required_status_checks', 'code_scanning', 'workflows', 'required_signatures'];
  return areChecks.includes(type) ? 'author' : 'maintainers';
}
