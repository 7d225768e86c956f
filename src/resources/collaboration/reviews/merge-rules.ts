// Rules that require changes of a branch to go through reviewed pull requests.
import { diffTrees } from '#git/history/diff.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { gather, getOrThrow, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type Fnmatch, fnmatchesOf, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import { type Steps, stepsOfAllWork, stepsOfWork } from '#lib/pattern-steps.ts';
import { periodicYield } from '#lib/turns.ts';
import type { MergedPull, RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from '#resources/code/ref-rules/index.ts';
import { findCodeOwners, ownerListsOf, resolveOwners } from '#resources/collaboration/code-owners/index.ts';
import { mergedTree } from '#resources/collaboration/pulls/index.ts';
import { findActionsApp } from '#resources/repositories/apps/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import type { ReviewParameters } from './review-rules.ts';
import { countUnresolved, type DecidingReview, loadDecidingReviews, loadReviewers, type ReviewerRow } from './store.ts';

type EvaluatedPull = Omit<MergedPull, 'method'>;

/** What the evaluation of reviews needs. */
type ReviewCheck = Pick<RuleCheck, 'db' | 'gitRepository' | 'repo' | 'host'>;

/** A review that counts: by somebody with write access, and not of one's own pull request, or one that was opened oneself. */
type Counted = DecidingReview & { author_id: Id<'accounts'>; reviewer: ReviewerRow };

/** The level of the role write. Reviews count from this level on. */
const writing = 3;

async function listCounted({ db, repo }: ReviewCheck, pull: EvaluatedPull): Promise<Counted[]> {
  const reviews = (await loadDecidingReviews(db, [pull.id])).filter(
    ({ author_id }) => author_id !== pull.author_id && author_id !== pull.opened_by,
  );
  const reviewers = await loadReviewers(db, repo, gather(reviews, 'author_id'));
  return reviews.flatMap((review) => {
    const { author_id } = review;
    const reviewer = author_id === null ? undefined : reviewers.get(author_id);
    return author_id === null || !reviewer || reviewer.level < writing ? [] : [{ ...review, author_id, reviewer }];
  });
}

const people = (count: number): string => (count === 1 ? '1 approving review is' : `${count} approving reviews are`);

/** Why the reviews of a pull request aren't enough. */
async function reviewProblem(
  check: ReviewCheck,
  parameters: ReviewParameters,
  pull: EvaluatedPull,
  move: BaseMove,
): Promise<string | undefined> {
  const reviews = await listCounted(check, pull);
  if (parameters.required_approving_review_count > 0 && wantChanges(reviews))
    return 'Changes were requested by reviewers with write access.';
  return approvalProblem(check, parameters, { pull, move, reviews });
}

/** Whether a pull request lacks reviews that a rule requires, while nobody with write access requests changes. */
export async function lacksReviews(
  check: ReviewCheck,
  rules: readonly ReviewParameters[],
  pull: EvaluatedPull,
  move: BaseMove,
): Promise<boolean> {
  if (rules.length === 0) return false;
  const reviews = await listCounted(check, pull);
  if (wantChanges(reviews)) return false;
  for (const parameters of rules) if (await approvalProblem(check, parameters, { pull, move, reviews })) return true;
  return false;
}

const wantChanges = (reviews: readonly Counted[]): boolean => reviews.some(({ state }) => state === 'CHANGES_REQUESTED');

/**
 * The tip of the base branch (null: there is none), and its new commit. Before the merge exists, that is the head of the pull
 * request.
 */
type BaseMove = Pick<RuledMove, 'before' | 'after'>;

type Reviewed = { pull: EvaluatedPull; move: BaseMove; reviews: readonly Counted[] };

/** Which approvals a pull request lacks. */
async function approvalProblem(
  check: ReviewCheck,
  parameters: ReviewParameters,
  { pull, move, reviews }: Reviewed,
): Promise<string | undefined> {
  const { required_approving_review_count: wanted } = parameters;
  const approvals = reviews.filter(
    (review) => review.state === 'APPROVED' && (!parameters.dismiss_stale_reviews_on_push || isOfPresentChanges(review, pull)),
  );
  if (approvals.length < wanted) return `At least ${people(wanted)} required by reviewers with write access.`;
  if (parameters.require_last_push_approval) {
    const problem = await lastPushProblem(check, pull, approvals);
    if (problem !== undefined) return problem;
  }
  const files =
    parameters.require_code_owner_review || parameters.required_reviewers?.length
      ? await listChangedPaths(check, pull, move)
      : [];
  const teams = await findUnapproved(parameters.required_reviewers ?? [], { files, approvals });
  if (teams) return `At least ${people(teams.minimum_approvals)} required by a team for files that it reviews.`;
  if (parameters.require_code_owner_review && !(await ownersApprove(check, move.before, { files, approvals })))
    return 'An approving review by a code owner is required for files that somebody owns.';
  return undefined;
}

/** Whether a review is about the present changes of the pull request. */
const isOfPresentChanges = ({ commit_sha, submitted_at }: Counted, pull: EvaluatedPull): boolean =>
  presentHeads(pull).includes(commit_sha) &&
  (pull.base_changed_at === null || (submitted_at !== null && submitted_at >= pull.base_changed_at));

/** The first team that still has to approve files that it reviews. */
async function findUnapproved(
  required: NonNullable<ReviewParameters['required_reviewers']>,
  { files, approvals }: Owned,
): Promise<(typeof required)[number] | undefined> {
  const all = stepsOfAllWork();
  for (const one of required) {
    const { file_patterns, minimum_approvals, reviewer } = one;
    const given = approvals.filter((approval) => approval.reviewer.teams.includes(reviewer.id as Id<'teams'>)).length;
    if (given >= minimum_approvals) continue;
    if (await matchesSome(fnmatchesOf(file_patterns, stepsOfWork()), files, all)) return one;
  }
  return undefined;
}

/** It yields between patterns. `all`: the steps of all of them. */
async function matchesSome(patterns: readonly Fnmatch[], files: readonly string[], all: Steps): Promise<boolean> {
  const yieldNow = periodicYield();
  for (const file of files) {
    const path = pathOf(file);
    for (const pattern of patterns) {
      if (matchesFnmatch(pattern, path, all)) return true;
      await yieldNow();
    }
  }
  return false;
}

/**
 * The latest push needs the approval of somebody else than its author. If a job pushed, or a deploy key, its author isn't known
 * and may be among the approvers, so it needs two: one of them is somebody else.
 */
async function lastPushProblem(
  { db }: ReviewCheck,
  pull: EvaluatedPull,
  approvals: readonly Counted[],
): Promise<string | undefined> {
  const { head_pushed_by: pusher } = pull;
  const byOthers = approvals.filter((one) => isOfPresentChanges(one, pull) && one.author_id !== pusher);
  if (byOthers.length >= 2) return undefined;
  if (byOthers.length === 0) return 'The last push must be approved by somebody other than who pushed it.';
  if (pusher === null) return 'The last push, whose author is not known, must be approved by two people.';
  const isByJob = (await findActionsApp(db))?.bot_id === pusher;
  return isByJob ? 'The last push, by a workflow job, must be approved by two people.' : undefined;
}

/** The heads with the present changes of the pull request. */
export const presentHeads = ({ head_sha, same_heads }: Pick<MergedPull, 'head_sha' | 'same_heads'>): Oid[] => [
  ...same_heads,
  head_sha,
];

/**
 * The paths that a pull request changes, and the paths that its merge changes in the base. With several merge bases, a merge can
 * revert changes that a comparison with one of them doesn't show.
 */
async function listChangedPaths(
  { gitRepository }: ReviewCheck,
  pull: EvaluatedPull,
  { before, after }: BaseMove,
): Promise<string[]> {
  const { merge_base_sha, head_sha } = pull;
  const own = await listPathsBetween(gitRepository, merge_base_sha, head_sha);
  if (before === null || before === merge_base_sha) return own;
  const merged = after === null || after === head_sha ? await mergedTree(gitRepository, pull, before) : after;
  return merged === undefined ? own : unique([...own, ...(await listPathsBetween(gitRepository, before, merged))]);
}

async function listPathsBetween(gitRepository: ReviewCheck['gitRepository'], from: Oid, to: Oid): Promise<string[]> {
  const { files } = await diffTrees(gitRepository, { from, to, patchSize: 0 });
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [path, previousPath]));
}

type Owned = { files: readonly string[]; approvals: readonly Counted[] };

/** Whether an owner of each file approves, by the file of code owners in the base branch. */
async function ownersApprove(
  { db, gitRepository, repo, host = '' }: ReviewCheck,
  base: Oid | null,
  { files, approvals }: Owned,
): Promise<boolean> {
  if (base === null) return true;
  await using reader = await openObjects(gitRepository);
  const rules = (await findCodeOwners(reader, base))?.owners?.rules ?? [];
  const lists = await ownerListsOf(rules, files);
  if (lists.length === 0) return true;
  const named = getOrThrow(await loadNamedRepositories(db, [repo.id]), repo.id);
  const owners = await resolveOwners(db, named, [...new Set(lists.flat())], host);
  return lists.every((names) => {
    // Files whose owners don't exist, or lack write access, need no approval.
    const found = names.flatMap((name) => owners.get(name) ?? []);
    const isOneOf = ({ author_id, reviewer }: Counted) =>
      found.some((owner) => ('user' in owner ? owner.user === author_id : reviewer.teams.includes(owner.team)));
    return found.length === 0 || approvals.some(isOneOf);
  });
}

/** Changes go through pull requests with the required reviews. The first branch of a repository may be pushed. */
const pullRequestRule: RuleEvaluator<'pull_request'> = {
  kinds: ['creation', 'update'],
  needs: 'names',
  async violation(check, { parameters }, move: RuledMove) {
    const { merge } = check;
    if (!merge)
      return move.before === null && (await check.isEmpty()) ? undefined : 'Changes must be made through a pull request.';
    const { allowed_merge_methods: methods } = parameters;
    if (methods && merge.method && !methods.includes(merge.method))
      return `Pull requests can't be merged by ${merge.method} here.`;
    const problem = await reviewProblem(check, parameters, merge, move);
    if (problem !== undefined || !parameters.required_review_thread_resolution) return problem;
    return unresolved(check, merge);
  },
};

const unresolved = async ({ db }: RuleCheck, { id }: MergedPull): Promise<string | undefined> =>
  (await countUnresolved(db, id)) > 0 ? 'All conversations on code must be resolved.' : undefined;

/** Conversations must be resolved before a pull request is merged. The rule doesn't apply to pushes. */
const conversationRule: RuleEvaluator<'required_conversation_resolution'> = {
  kinds: ['update'],
  needs: 'names',
  violation: (check) => (check.merge ? unresolved(check, check.merge) : undefined),
};

/** The rules that depend on reviews. */
export const reviewEvaluators = {
  pull_request: pullRequestRule,
  required_conversation_resolution: conversationRule,
} as const satisfies Partial<RuleEvaluators>;
