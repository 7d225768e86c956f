export {
  findMergeQueue,
  listRequiredWorkflows,
  type QueueParameters,
  queueDefaults,
  type RequiredWorkflow,
} from './branch-rules.ts';
export { loadRulesOfRefs, type MoveReason } from './evaluate.ts';
export {
  checkedCommit,
  type MergedPull,
  type MoveEvaluation,
  type RuleCheck,
  type RuledMove,
  type RuleEvaluator,
  type RuleEvaluators,
} from './evaluator.ts';
export { queuePrefixes } from './queue-evaluators.ts';
export { RuleViolations } from './violations.ts';
export {
  type EvaluateMove,
  evaluateMoves,
  explainMove,
  findMergeObstacle,
  moveEvaluator,
  pushRules,
  recordMoveEvaluations,
} from './ways-in.ts';
