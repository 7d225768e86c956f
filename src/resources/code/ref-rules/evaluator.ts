// How rules are judged: one evaluator for each type, in the manifest of the family that knows the facts. `all.ts` puts them
// together.
import type { Db } from '#database/connect.ts';
import type { CommitFile } from '#git/history/commit-files.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Id } from '#lib/id.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { ActorFacts, Applied, AppliedRule, RuledRepository } from '#resources/code/rulesets/index.ts';

/** A ref that is about to move. `before` is null for a new one, `after` for one that is deleted. */
export type RuledMove = { readonly ref: string; readonly before: Oid | null; readonly after: Oid | null };

/** Who moves refs: an account, a deploy key, or for neither the server itself. */
export type RefActor = { readonly account: Id<'accounts'> | undefined; readonly isDeployKey?: boolean };

export type MoveKind = 'creation' | 'update' | 'deletion';

export const kindOfMove = ({ before, after }: RuledMove): MoveKind =>
  after === null ? 'deletion' : before === null ? 'creation' : 'update';

/** The pull request by whose merge a branch moves. */
export type MergedPull = {
  readonly id: Id<'issues'>;
  readonly number: number;
  readonly head_sha: Oid;
  readonly merge_base_sha: Oid;
  readonly author_id: Id<'accounts'> | null;
  /** Who opened it, which isn't its author where it was made of another one's issue; null if unknown. */
  readonly opened_by: Id<'accounts'> | null;
  /** Earlier heads that brought the same changes. */
  readonly same_heads: readonly Oid[];
  /** When it got another base, to which the same head brings other changes. */
  readonly base_changed_at: Date | null;
  /** Who pushed the present changes. */
  readonly head_pushed_by: Id<'accounts'> | null;
  /** Undefined where it isn't known yet. */
  readonly method: 'merge' | 'squash' | 'rebase' | undefined;
};

/**
 * How a pull request goes through a merge queue: `entering` is judged as a merge that need not be tested on top of its base;
 * `merging` by the checks of the commit that its base gets.
 */
export type QueueStep = 'entering' | 'merging';

/** What an evaluator may ask about the change that it judges. What several rules ask is found out once. */
export type RuleCheck = {
  readonly db: Db;
  /** During a push, the repository with the objects that were pushed. */
  readonly gitRepository: GitRepository;
  readonly repo: RuledRepository;
  readonly actor: ActorFacts;
  readonly merge: MergedPull | undefined;
  readonly queue: QueueStep | undefined;
  /** The branch gets what its upstream has. */
  readonly syncsUpstream: boolean;
  /** The host of this server, as far as it is known. */
  readonly host: string | undefined;
  readonly secrets: Secrets;
  /** Nothing moves: somebody asks what rules would say. */
  readonly isTrial: boolean;
  readonly now: Date;
  /** The commits that a ref gets, oldest first. @throws TooManyCommits */
  newCommits(move: RuledMove): Promise<readonly Commit[]>;
  /** The files that these commits change, in batches. @throws TooManyCommits */
  newFiles(move: RuledMove): AsyncIterable<readonly CommitFile[]>;
  /**
   * These files, and those of a branch that differ between its former commit and the one that it gets: a merge may take a file
   * from one of its parents, so that no new commit changes it. @throws TooManyCommits
   */
  changedFiles(move: RuledMove): AsyncIterable<readonly CommitFile[]>;
  /** Reads the objects. */
  readonly reader: ObjectReader;
  /** Whether no commit is lost. */
  isFastForward(move: RuledMove): Promise<boolean>;
  /** Whether the repository has no branch yet. */
  isEmpty(): Promise<boolean>;
};

/**
 * The commit whose checks are required: the head of the pull request that is merged, the commit that a merge queue made of it, or
 * the commit that is pushed.
 */
export const checkedCommit = ({ merge, queue }: Pick<RuleCheck, 'merge' | 'queue'>, { after }: RuledMove): Oid | null =>
  queue === 'merging' ? after : (merge?.head_sha ?? after);

/** How a move breaks a rule. `isPending`: it may keep the rule later, without another change. */
export type Violation = { readonly message: string; readonly isPending: true };

export type RuleType = AppliedRule['rule']['type'];
type RuleOfType<Type extends RuleType> = Extract<AppliedRule['rule'], { readonly type: Type }>;

export type RuleEvaluator<Type extends RuleType> = {
  /** The kinds of moves that it is about. */
  readonly kinds: readonly MoveKind[];
  /** `names`: names and rows are enough, so that a push is judged before its objects are received. */
  readonly needs: 'names' | 'objects';
  /** Only its breach is recorded. */
  readonly isSilent?: true;
  /** What is wrong with the move, as its user is told; undefined where it keeps the rule. */
  violation(
    check: RuleCheck,
    rule: RuleOfType<Type>,
    move: RuledMove,
  ): Promise<string | Violation | undefined> | string | Violation | undefined;
};

/** What judges rules: an evaluator of each type, and what they know of the server. */
export type RefRules = {
  readonly evaluators: RuleEvaluators;
  readonly host: string | undefined;
  readonly secrets: Secrets;
};

export type RuleEvaluators = { readonly [Type in RuleType]: RuleEvaluator<Type> };

/**
 * A rule that was judged. `violation`: how the move breaks it. `isPending`: it may keep the rule later. `isBypassed`: its breach
 * was allowed.
 */
export type Evaluation<Rule extends Applied<{ readonly type: string }> = AppliedRule> = {
  readonly applied: Rule;
  readonly violation: string | undefined;
  readonly isPending: boolean;
  readonly isBypassed: boolean;
};

/** An evaluation of a rule about anything. */
export type AnyEvaluation = Evaluation<Applied<{ readonly type: string }>>;

/** The result of evaluations: a violation that isn't bypassed fails. */
export type SuiteResult = 'pass' | 'fail' | 'bypass';

/** What the rules say of a move. Rules that are tried out alone (`evaluate`) refuse nothing. */
export type MoveEvaluation = {
  readonly move: RuledMove;
  readonly evaluations: readonly Evaluation[];
  readonly result: SuiteResult;
};
