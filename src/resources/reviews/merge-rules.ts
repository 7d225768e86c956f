// Rules that want a branch to be changed through reviewed pull requests.
import { diffTrees } from '#git/history/diff.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { gather, getOrThrow } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fnmatchOf, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import { findCodeOwners, ownerListsOf, resolveOwners } from '#resources/code-owners/index.ts';
import type { MergedPull, RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from '#resources/ref-rules/index.ts';
import { loadNamedRepositories } from '#resources/repositories/index.ts';
import type { ReviewParameters } from './review-rules.ts';
import { countUnresolved, type DecidingReview, loadDecidingReviews, loadReviewers, type ReviewerRow } from './store.ts';

type JudgedPull = Omit<MergedPull, 'method'>;

/** What judging reviews needs. */
type ReviewCheck = Pick<RuleCheck, 'db' | 'disk' | 'repo' | 'host'>;

/** A review that counts: by somebody who may write to the repository, and not of one's own pull request. */
type Counted = DecidingReview & { author_id: Id<'accounts'>; reviewer: ReviewerRow };

/** The level of the role from which reviews count: that of writers. */
const writing = 3;

async function listCounted({ db, repo }: ReviewCheck, pull: JudgedPull): Promise<Counted[]> {
  const reviews = (await loadDecidingReviews(db, [pull.id])).filter(({ author_id }) => author_id !== pull.author_id);
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
  pull: JudgedPull,
  base: Oid | null,
): Promise<string | undefined> {
  const reviews = await listCounted(check, pull);
  if (parameters.required_approving_review_count > 0 && wantChanges(reviews))
    return 'Changes were requested by reviewers with write access.';
  return approvalProblem(check, parameters, { pull, base, reviews });
}

/**
 * Whether a pull request lacks reviews that one of some rules wants, while nobody who may write wants changes. `base` is the tip of its
 * base branch.
 */
export async function lacksReviews(
  check: ReviewCheck,
  rules: readonly ReviewParameters[],
  pull: JudgedPull,
  base: Oid | null,
): Promise<boolean> {
  if (rules.length === 0) return false;
  const reviews = await listCounted(check, pull);
  if (wantChanges(reviews)) return false;
  for (const parameters of rules) if (await approvalProblem(check, parameters, { pull, base, reviews })) return true;
  return false;
}

const wantChanges = (reviews: readonly Counted[]): boolean => reviews.some(({ state }) => state === 'CHANGES_REQUESTED');

type Reviewed = { pull: JudgedPull; base: Oid | null; reviews: readonly Counted[] };

/** Which approvals a pull request lacks. */
async function approvalProblem(
  check: ReviewCheck,
  parameters: ReviewParameters,
  { pull, base, reviews }: Reviewed,
): Promise<string | undefined> {
  const { required_approving_review_count: wanted } = parameters;
  const approvals = reviews.filter(
    (review) => review.state === 'APPROVED' && (!parameters.dismiss_stale_reviews_on_push || isOfPresentChanges(review, pull)),
  );
  if (approvals.length < wanted) return `At least ${people(wanted)} required by reviewers with write access.`;
  if (parameters.require_last_push_approval && !approvals.some((one) => isOfLastPush(one, pull)))
    return 'The last push must be approved by somebody other than who pushed it.';
  const files =
    parameters.require_code_owner_review || parameters.required_reviewers?.length ? await changedPaths(check, pull) : [];
  const teams = parameters.required_reviewers?.find(({ file_patterns, minimum_approvals, reviewer }) => {
    const patterns = file_patterns.map(fnmatchOf);
    if (!files.some((path) => patterns.some((pattern) => matchesFnmatch(pattern, pathOf(path))))) return false;
    return approvals.filter((one) => one.reviewer.teams.includes(reviewer.id as Id<'teams'>)).length < minimum_approvals;
  });
  if (teams) return `At least ${people(teams.minimum_approvals)} required by a team for files that it reviews.`;
  if (parameters.require_code_owner_review && !(await ownersApprove(check, base, { files, approvals })))
    return 'An approving review by a code owner is required for files that somebody owns.';
  return undefined;
}

/** Whether a review is about the changes that the pull request brings now. */
const isOfPresentChanges = ({ commit_sha, submitted_at }: Counted, pull: JudgedPull): boolean =>
  presentHeads(pull).includes(commit_sha) &&
  (pull.base_changed_at === null || (submitted_at !== null && submitted_at >= pull.base_changed_at));

const isOfLastPush = (review: Counted, pull: JudgedPull): boolean =>
  isOfPresentChanges(review, pull) && review.author_id !== pull.head_pushed_by;

/** The heads with the changes that the pull request brings now. */
export const presentHeads = ({ head_sha, same_heads }: Pick<MergedPull, 'head_sha' | 'same_heads'>): Oid[] => [
  ...same_heads,
  head_sha,
];

async function changedPaths({ disk }: ReviewCheck, { merge_base_sha, head_sha }: JudgedPull): Promise<string[]> {
  const { files } = await diffTrees(disk, { from: merge_base_sha, to: head_sha, patchSize: 0 });
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [path, previousPath]));
}

type Owned = { files: readonly string[]; approvals: readonly Counted[] };

/** Whether one of the owners of each file approves, as the file of code owners in the base branch has it. */
async function ownersApprove(
  { db, disk, repo, host = '' }: ReviewCheck,
  base: Oid | null,
  { files, approvals }: Owned,
): Promise<boolean> {
  if (base === null) return true;
  await using reader = await openObjects(disk);
  const rules = (await findCodeOwners(reader, base))?.owners?.rules ?? [];
  const lists = await ownerListsOf(rules, files);
  if (lists.length === 0) return true;
  const named = getOrThrow(await loadNamedRepositories(db, [repo.id], []), repo.id);
  const owners = await resolveOwners(db, named, [...new Set(lists.flat())], host);
  return lists.every((names) => {
    // Files whose owners don't exist, or may not write, are nobody's.
    const found = names.flatMap((name) => owners.get(name) ?? []);
    const isOneOf = ({ author_id, reviewer }: Counted) =>
      found.some((owner) => ('user' in owner ? owner.user === author_id : reviewer.teams.includes(owner.team)));
    return found.length === 0 || approvals.some(isOneOf);
  });
}

/** Changes come by pull requests with the reviews that the rule wants. The first branch of a repository may be pushed. */
const pullRequestRule: RuleEvaluator<'pull_request'> = {
  kinds: ['creation', 'update'],
  needs: 'names',
  async violation(check, { parameters }, { before }: RuledMove) {
    const { merge } = check;
    if (!merge) return before === null && (await check.isEmpty()) ? undefined : 'Changes must be made through a pull request.';
    const { allowed_merge_methods: methods } = parameters;
    if (methods && merge.method && !methods.includes(merge.method))
      return `Pull requests can't be merged by ${merge.method} here.`;
    const problem = await reviewProblem(check, parameters, merge, before);
    if (problem !== undefined || !parameters.required_review_thread_resolution) return problem;
    return unresolved(check, merge);
  },
};

const unresolved = async ({ db }: RuleCheck, { id }: MergedPull): Promise<string | undefined> =>
  (await countUnresolved(db, id)) > 0 ? 'All conversations on code must be resolved.' : undefined;

/** Conversations are resolved before a pull request is merged. It says nothing about pushes. */
const conversationRule: RuleEvaluator<'required_conversation_resolution'> = {
  kinds: ['update'],
  needs: 'names',
  violation: (check) => (check.merge ? unresolved(check, check.merge) : undefined),
};

/** The rules that reviews decide. */
export const reviewEvaluators = {
  pull_request: pullRequestRule,
  required_conversation_resolution: conversationRule,
} as const satisfies Partial<RuleEvaluators>;
