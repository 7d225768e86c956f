export type { Judgement, MergedPull, RefRules, RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from './evaluator.ts';
export { gitEvaluators } from './git-evaluators.ts';
export { loadRulesOfRefs, type Occasion } from './judge.ts';
export { secretEvaluators } from './secret-evaluator.ts';
export { signatureEvaluators } from './signature-evaluator.ts';
export { statusEvaluators } from './status-evaluators.ts';
export { RuleViolations } from './violations.ts';
export { explainMove, findMergeObstacle, judgeMoves, pushRules, type RuleExplanation, recordJudgements } from './ways-in.ts';
