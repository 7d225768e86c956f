export { loadRulesOfRefs, type MoveReason } from './evaluate.ts';
export type { MergedPull, RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from './evaluator.ts';
export { RuleViolations } from './violations.ts';
export { evaluateMoves, explainMove, findMergeObstacle, pushRules, recordMoveEvaluations } from './ways-in.ts';
