export type { MergedPull, RuleCheck, RuledMove, RuleEvaluator, RuleEvaluators } from './evaluator.ts';
export type { Judgement } from './judge.ts';
export { RuleViolations } from './violations.ts';
export { judgeMoves, pushRules, recordJudgements } from './ways-in.ts';
