// What the two ways in ask: moves that the server makes at once, and pushes, whose objects come after their names.

import type { ChangeScope, Needs, Scope, WriteScope } from '#endpoint/scope.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Inspect, Verdict } from '#git/transport/receive-pack.ts';
import type { Id } from '#lib/id.ts';
import type { AppliedRule, RuledRepository } from '#resources/code/rulesets/index.ts';
import {
  evaluateRules,
  hasMergeQueue,
  loadRules,
  type MoveReason,
  mergeMoveEvaluations,
  needObjects,
  type WantedMoves,
} from './evaluate.ts';
import type { AnyEvaluation, Evaluation, MergedPull, MoveEvaluation, RefActor, RuledMove } from './evaluator.ts';
import { behindBase } from './status-evaluators.ts';
import { insertSuites } from './store.ts';
import { pushLines, RuleViolations, refusedReason, sourceName } from './violations.ts';

type RecordedMoves = {
  repo: Pick<RuledRepository, 'id'>;
  actor: Id<'accounts'> | undefined;
  moveEvaluations: readonly MoveEvaluation[];
};

/** Records what rules said of moves, in the transaction that records the moves. */
export const recordMoveEvaluations = ({ tx, now }: WriteScope, { repo, actor, moveEvaluations }: RecordedMoves): Promise<void> =>
  insertSuites(tx, { repository: repo.id, actor, at: now }, moveEvaluations);

/**
 * Judges moves by all rules. A refusal is recorded at once; what is returned is recorded with the moves, by
 * `recordMoveEvaluations`.
 * @throws RuleViolations
 */
export async function evaluateMoves(
  scope: ChangeScope & Needs<'refRules'>,
  wanted: WantedMoves,
): Promise<readonly MoveEvaluation[]> {
  const { repo, actor } = wanted;
  const moveEvaluations = await evaluateUnrecorded(scope, wanted);
  const refused = moveEvaluations.filter(({ result }) => result === 'fail');
  if (refused.length === 0) return moveEvaluations;
  await scope.change((scope) => recordMoveEvaluations(scope, { repo, actor: actor.account, moveEvaluations: refused }));
  throw new RuleViolations(refused);
}

/** What all rules say of moves. Nothing is recorded or refused. */
async function evaluateUnrecorded(scope: Scope & Needs<'refRules'>, wanted: WantedMoves): Promise<readonly MoveEvaluation[]> {
  const rules = await loadRules(scope.db, wanted);
  return rules ? evaluateRules(scope, repoOf(scope.git, wanted.repo.id), rules) : [];
}

/** Evaluates one move of a branch for a reason. */
export type EvaluateMove = (move: RuledMove, reason: MoveReason) => Promise<readonly MoveEvaluation[]>;

/** The same for several moves of a branch that an actor makes for different reasons. Its rules are loaded once. */
export async function moveEvaluator(
  scope: Scope & Needs<'refRules'>,
  { repo, actor, ref }: Pick<WantedMoves, 'repo' | 'actor'> & { ref: string },
): Promise<EvaluateMove> {
  const rules = await loadRules(scope.db, { repo, actor, moves: [{ ref, before: null, after: null }] });
  return async (move, reason) =>
    rules ? evaluateRules(scope, repoOf(scope.git, repo.id), { ...rules, ...reason, moves: [move] }) : [];
}

type WantedMerge = { repo: RuledRepository; merge: Omit<MergedPull, 'method'>; move: RuledMove };

/**
 * What keeps a pull request from being merged by somebody who may bypass nothing: `behind` where it only needs what its base has;
 * undefined where no rule does. Rules about the commits that a merge would make aren't among them, since they depend on how it is
 * merged. Where the base has a merge queue, what keeps it from entering that.
 */
export async function findMergeObstacle(
  scope: Scope & Needs<'refRules'>,
  gitRepository: GitRepository,
  { repo, merge, move }: WantedMerge,
): Promise<'behind' | 'blocked' | undefined> {
  const wanted = { repo, actor: { account: undefined }, moves: [move], merge: { ...merge, method: undefined } };
  const rules = await loadRules(scope.db, wanted);
  if (!rules) return undefined;
  const queue = hasMergeQueue(rules, move.ref) ? ('entering' as const) : undefined;
  const [moveEvaluation] = await evaluateRules(scope, gitRepository, { ...rules, queue }, { stage: 'names' });
  if (moveEvaluation?.result !== 'fail') return undefined;
  const broken = moveEvaluation.evaluations.filter(
    ({ violation, applied }) => violation !== undefined && applied.enforcement === 'active',
  );
  return broken.every(({ violation }) => violation === behindBase) ? 'behind' : 'blocked';
}

/**
 * What each rule says of a merge that somebody wants to make, as far as it can be said before the merge exists: what is asked for
 * on the way into a merge queue, where the base has one.
 */
export async function evaluateMerge(
  scope: Scope & Needs<'refRules'>,
  { repo, merge, move, actor }: WantedMerge & { actor: RefActor },
): Promise<{ readonly evaluations: readonly Evaluation[]; readonly hasQueue: boolean }> {
  const rules = await loadRules(scope.db, { repo, actor, moves: [move], merge: { ...merge, method: undefined } });
  if (!rules) return { evaluations: [], hasQueue: false };
  const hasQueue = hasMergeQueue(rules, move.ref);
  const queue = hasQueue ? ('entering' as const) : undefined;
  const [evaluated] = await evaluateRules(
    scope,
    repoOf(scope.git, repo.id),
    { ...rules, queue },
    { stage: 'names', isTrial: true },
  );
  return { evaluations: evaluated?.evaluations ?? [], hasQueue };
}

/** What a rule says of a move that nobody made. `passed` is undefined where the commits decide, and aren't known. */
export type RuleExplanation = { rule: string; passed: boolean | undefined; because: string };

/** What each rule that applies to a move says of it, for those who ask why; nothing moves, and nothing is recorded. */
export async function explainMove(
  scope: Scope & Needs<'refRules'>,
  gitRepository: GitRepository,
  wanted: WantedMoves,
  { hasObjects }: { hasObjects: boolean },
): Promise<RuleExplanation[]> {
  const rules = await loadRules(scope.db, wanted);
  if (!rules) return [];
  const evaluated = (
    await evaluateRules(scope, gitRepository, rules, { isTrial: true, stage: hasObjects ? 'all' : 'names' })
  ).flatMap(({ evaluations }) => evaluations);
  const known = new Set(evaluated.map(({ applied }) => applied));
  const open = hasObjects ? [] : [...rules.byRef.values()].flat().filter((applied) => !known.has(applied));
  return [
    ...evaluated.map(explainEvaluation),
    ...open
      .filter(({ rule }) => scope.services.refRules.evaluators[rule.type].needs === 'objects')
      .map((applied) => ({ rule: sourceName(applied), passed: undefined, because: 'depends on the commits' })),
  ];
}

/** What an evaluated rule says, for those who ask why. */
export const explainEvaluation = ({ applied, violation, isBypassed }: AnyEvaluation): RuleExplanation => ({
  rule: sourceName(applied),
  passed: violation === undefined || isBypassed || applied.enforcement === 'evaluate',
  because: becauseOf(applied.enforcement, violation, isBypassed),
});

function becauseOf(enforcement: AppliedRule['enforcement'], violation: string | undefined, isBypassed: boolean): string {
  if (violation === undefined) return 'kept';
  if (enforcement === 'evaluate') return `${violation} It is tried out, and refuses nothing`;
  return isBypassed ? `${violation} It may be bypassed` : violation;
}

type PushRules = {
  /** Judges what names decide, and says whether the objects are to be inspected. */
  before(moves: readonly RuledMove[]): Promise<Verdict & { inspect?: Inspect }>;
  /** Whether other rules apply to the moves than `before` has found. */
  haveChanged(): Promise<boolean>;
  /** Records what was said of the refs that moved. */
  record(scope: WriteScope, moved: readonly string[]): Promise<void>;
};

/** The rules of one push. What they refuse is recorded at once. */
export function pushRules({
  scopeNow,
  repo,
  actor,
}: {
  scopeNow: () => ChangeScope & Needs<'refRules'>;
  repo: RuledRepository;
  actor: RefActor;
}): PushRules {
  let moveEvaluations: readonly MoveEvaluation[] = [];
  let found: { moves: readonly RuledMove[]; text: string } | undefined;
  const textOf = (rules: { byRef: ReadonlyMap<string, readonly AppliedRule[]> } | undefined): string =>
    JSON.stringify([...(rules?.byRef ?? [])]);
  /** What is told of judgements that are final: all, or those that refuse. */
  const verdictOf = async (final: readonly MoveEvaluation[]): Promise<Verdict> => {
    const refused = final.filter(({ result }) => result === 'fail');
    const recorded = { repo, actor: actor.account, moveEvaluations: refused };
    if (refused.length > 0) await scopeNow().change((scope) => recordMoveEvaluations(scope, recorded));
    return { refused: new Map(refused.map(({ move }) => [move.ref, refusedReason])), messages: pushLines(final) };
  };
  return {
    async before(moves) {
      const scope = scopeNow();
      const rules = await loadRules(scope.db, { repo, actor, moves });
      found = { moves, text: textOf(rules) };
      if (!rules) return {};
      const gitRepository = repoOf(scope.git, repo.id);
      moveEvaluations = await evaluateRules(scope, gitRepository, rules, { stage: 'names' });
      const refused = new Set(moveEvaluations.flatMap(({ move, result }) => (result === 'fail' ? move.ref : [])));
      const rest = { ...rules, moves: rules.moves.filter(({ ref }) => !refused.has(ref)) };
      if (!needObjects(rest, scope.services.refRules)) return verdictOf(moveEvaluations);
      const first = await verdictOf(moveEvaluations.filter(({ result }) => result === 'fail'));
      moveEvaluations = moveEvaluations.filter(({ result }) => result !== 'fail');
      return {
        ...first,
        async inspect(commands, pushed) {
          const inspected = new Set(commands.map(({ ref }) => ref));
          const accepted = { ...rest, moves: rest.moves.filter(({ ref }) => inspected.has(ref)) };
          moveEvaluations = mergeMoveEvaluations(
            moveEvaluations,
            await evaluateRules(scope, pushed, accepted, { stage: 'objects' }),
          );
          return verdictOf(moveEvaluations);
        },
      };
    },
    async haveChanged() {
      if (!found) return false;
      return textOf(await loadRules(scopeNow().db, { repo, actor, moves: found.moves })) !== found.text;
    },
    async record(scope, moved) {
      const done = new Set(moved);
      const passed = moveEvaluations.filter(({ move, result }) => result !== 'fail' && done.has(move.ref));
      await recordMoveEvaluations(scope, { repo, actor: actor.account, moveEvaluations: passed });
    },
  };
}
