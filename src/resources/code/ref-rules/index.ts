export { loadRulesOfRefs, type MoveReason } from './evaluate.ts';
export type { MergedPull, RefRules, RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from './evaluator.ts';
export { gitEvaluators } from './git-evaluators.ts';
export { secretEvaluators } from './secret-evaluator.ts';
export { signatureEvaluators } from './signature-evaluator.ts';
export { statusEvaluators } from './status-evaluators.ts';
export { RuleViolations } from './violations.ts';
export { evaluateMoves, explainMove, findMergeObstacle, pushRules, recordMoveEvaluations } from './ways-in.ts';
