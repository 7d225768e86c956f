// The one evaluator of rules on refs: every way in that moves a ref asks it, whether the rules come from rulesets or from branch
// protection.

import type { Db } from '#database/connect.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import type { GitRepository } from '#git/repo.ts';
import { stepsOfAllWork, stepsWithin } from '#lib/pattern-steps.ts';
import { periodicYield } from '#lib/turns.ts';
import { loadProtections, appliedRulesOf as rulesOfProtection } from '#resources/code/branch-protection/index.ts';
import {
  type AppliedRule,
  loadRulesetsOf,
  matchesRef,
  type RuledRepository,
  appliedRulesOf as rulesOfRuleset,
} from '#resources/code/rulesets/index.ts';
import { openCheck, TooManyCommits } from './check.ts';
import {
  type AnyEvaluation,
  type Evaluation,
  kindOfMove,
  type MergedPull,
  type MoveEvaluation,
  type MoveKind,
  type QueueStep,
  type RefActor,
  type RefRules,
  type RuleCheck,
  type RuledMove,
  type RuleEvaluators,
  type SuiteResult,
  type Violation,
} from './evaluator.ts';
import { isQueueBranch, queueBranchRules } from './queue-evaluators.ts';
import { pushProtectionOf } from './secret-evaluator.ts';
import { loadActorFacts } from './store.ts';

const isRuled = ({ ref }: RuledMove): boolean => branchOf(ref) !== undefined || ref.startsWith('refs/tags/');

/** On which occasion refs move, where a rule may ask that. */
export type MoveReason = {
  /** The pull request by whose merge a branch moves. */
  readonly merge?: MergedPull | undefined;
  /** The merge queue that the pull request goes through. */
  readonly queue?: QueueStep | undefined;
  /** The branch gets what its upstream has. */
  readonly syncsUpstream?: boolean | undefined;
  /** A branch gets another name, and takes its protection along. */
  readonly isRename?: boolean | undefined;
};

/** Moves that somebody wants to make. */
export type WantedMoves = MoveReason & {
  readonly repo: RuledRepository;
  readonly actor: RefActor;
  readonly moves: readonly RuledMove[];
};

/** Rules that apply to some moves of an actor. Rules that exempt the actor are left out. */
type RulesOfMoves = WantedMoves & {
  readonly facts: RuleCheck['actor'];
  readonly byRef: ReadonlyMap<string, readonly AppliedRule[]>;
};

/** The rules that apply to some moves; undefined where there are none, which takes two statements that are sent together. */
export async function loadRules(db: Db, wanted: WantedMoves): Promise<RulesOfMoves | undefined> {
  const { repo, actor } = wanted;
  const moves = wanted.moves.filter(isRuled);
  if (moves.length === 0) return undefined;
  const branches = moves.flatMap(({ ref }) => branchOf(ref) ?? []);
  const [rulesets, protections] = await Promise.all([loadRulesetsOf(db, repo), loadProtections(db, repo.id, branches)]);
  const ofPush = pushProtectionOf(repo);
  const isRuledAnyway = ofPush.length > 0 || moves.some(({ ref }) => isQueueBranch(ref));
  if (rulesets.length === 0 && protections.size === 0 && !isRuledAnyway) return undefined;
  const facts = await loadActorFacts(db, repo, actor);
  const ofRulesets = rulesets.map((row) => ({ row, rules: rulesOfRuleset(row, facts) }));
  const isLeft = ({ rule }: AppliedRule) => !(wanted.isRename && rule.type === 'deletion');
  const byRef = new Map<string, readonly AppliedRule[]>();
  const [allWork, yieldNow] = [stepsOfAllWork(), periodicYield()];
  for (const { ref } of moves) {
    await yieldNow();
    const work = stepsWithin(allWork);
    const branch = branchOf(ref);
    const protection = branch === undefined ? undefined : protections.get(branch);
    const applied = [
      ...ofRulesets.flatMap(({ row, rules }) => (matchesRef(row, ref, repo, work) ? rules : [])),
      ...(protection ? rulesOfProtection(protection, facts).filter(isLeft) : []),
      ...ofPush,
      ...queueBranchRules(repo, ref),
    ].filter(({ bypass }) => bypass !== 'exempt');
    if (applied.length > 0) byRef.set(ref, applied);
  }
  return byRef.size === 0 ? undefined : { ...wanted, moves, facts, byRef };
}

/** The rules that apply to an actor's changes of some refs. Rules that exempt the actor are left out. */
export const loadRulesOfRefs = (
  db: Db,
  { repo, actor, refs }: Pick<WantedMoves, 'repo' | 'actor'> & { refs: readonly string[] },
): Promise<Pick<RulesOfMoves, 'byRef' | 'facts'> | undefined> =>
  loadRules(db, { repo, actor, moves: refs.map((ref) => ({ ref, before: null, after: null })) });

/** Whether a branch is changed by a merge queue alone. */
export const hasMergeQueue = ({ byRef }: Pick<RulesOfMoves, 'byRef'>, ref: string): boolean =>
  byRef.get(ref)?.some(({ rule, enforcement }) => rule.type === 'merge_queue' && enforcement === 'active') ?? false;

/** Which rules are judged: those that need no objects, those that do, or all. */
type Stage = 'names' | 'objects' | 'all';

/** An evaluator of some type, whose rule is handed to it alone. */
type AnyEvaluator = Omit<RuleEvaluators['creation'], 'violation'> & {
  violation(
    check: RuleCheck,
    rule: never,
    move: RuledMove,
  ): Promise<string | Violation | undefined> | string | Violation | undefined;
};

/** Judges moves by the rules of a stage. Moves without such rules aren't in the result. */
export async function evaluateRules(
  scope: Scope & Needs<'refRules'>,
  gitRepository: GitRepository,
  rules: RulesOfMoves,
  { stage = 'all', isTrial = false }: { stage?: Stage; isTrial?: boolean } = {},
): Promise<MoveEvaluation[]> {
  const { db, now } = scope;
  const { evaluators, host, secrets } = scope.services.refRules;
  const { repo, facts: actor, merge, queue, syncsUpstream = false, moves, byRef } = rules;
  const given = { db, gitRepository, host, secrets, isTrial, now, repo, actor, merge, queue, syncsUpstream, moves };
  await using check = await openCheck(given);
  const yieldNow = periodicYield();
  const moveEvaluations: MoveEvaluation[] = [];
  for (const move of moves) {
    const kind = kindOfMove(move);
    const evaluations: Evaluation[] = [];
    for (const applied of byRef.get(move.ref) ?? []) {
      const evaluator: AnyEvaluator = evaluators[applied.rule.type];
      if (!isAbout(applied, evaluator, kind) || (stage !== 'all' && stage !== evaluator.needs)) continue;
      const found = await violationOf(evaluator, check, applied, move);
      if (found === undefined && evaluator.isSilent) continue;
      const isPending = typeof found === 'object';
      const violation = isPending ? found.message : found;
      evaluations.push({ applied, violation, isPending, isBypassed: violation !== undefined && mayBypass(applied, merge) });
      await yieldNow();
    }
    if (evaluations.length > 0) moveEvaluations.push(moveEvaluationOf(move, evaluations));
  }
  return moveEvaluations;
}

/** Whether some move has a rule that is judged once the objects of a push are there. */
export const needObjects = ({ moves, byRef }: RulesOfMoves, { evaluators }: RefRules): boolean =>
  moves.some((move) =>
    byRef.get(move.ref)?.some((applied) => {
      const evaluator: AnyEvaluator = evaluators[applied.rule.type];
      return evaluator.needs === 'objects' && isAbout(applied, evaluator, kindOfMove(move));
    }),
  );

/**
 * Whether a rule is about a kind of moves. A protected branch that doesn't exist may be created by a push, unless that is
 * restricted.
 */
const isAbout = ({ rule, source }: AppliedRule, { kinds }: AnyEvaluator, kind: MoveKind): boolean =>
  kinds.includes(kind) && !(kind === 'creation' && source.type === 'ProtectedBranch' && rule.type === 'pull_request');

async function violationOf(
  evaluator: AnyEvaluator,
  check: RuleCheck,
  { rule }: AppliedRule,
  move: RuledMove,
): Promise<string | Violation | undefined> {
  try {
    return await evaluator.violation(check, rule as never, move);
  } catch (error) {
    if (error instanceof TooManyCommits) return 'There are more new commits than this rule can check.';
    throw error;
  }
}

const mayBypass = ({ bypass }: AppliedRule, merge: MergedPull | undefined): boolean =>
  bypass === 'always' || (bypass === 'pull_request' && merge !== undefined);

/** The result of evaluations: a violation that isn't bypassed fails. Rules that are only evaluated don't count. */
export function resultOf(evaluations: readonly AnyEvaluation[]): SuiteResult {
  const broken = evaluations.filter(({ applied, violation }) => violation !== undefined && applied.enforcement === 'active');
  return broken.length === 0 ? 'pass' : broken.every(({ isBypassed }) => isBypassed) ? 'bypass' : 'fail';
}

const moveEvaluationOf = (move: RuledMove, evaluations: readonly Evaluation[]): MoveEvaluation => ({
  move,
  evaluations,
  result: resultOf(evaluations),
});

/** Judgements of two stages as one, by ref. */
export function mergeMoveEvaluations(first: readonly MoveEvaluation[], second: readonly MoveEvaluation[]): MoveEvaluation[] {
  const later = new Map(second.map((moveEvaluation) => [moveEvaluation.move.ref, moveEvaluation]));
  const merged = first.map((one) => {
    const other = later.get(one.move.ref);
    later.delete(one.move.ref);
    return other ? moveEvaluationOf(one.move, [...one.evaluations, ...other.evaluations]) : one;
  });
  return [...merged, ...later.values()];
}
