export {
  type AssistantReviewParameters,
  findAssistantReview,
  findMergeQueue,
  listRequiredWorkflows,
  type QueueParameters,
  queueDefaults,
  type RequiredWorkflow,
} from './branch-rules.ts';
export { loadRulesOfRefs, type MoveReason, resultOf } from './evaluate.ts';
export {
  checkedCommit,
  type Evaluation,
  type MergedPull,
  type MoveEvaluation,
  type RuleCheck,
  type RuledMove,
  type RuleEvaluator,
  type RuleEvaluators,
} from './evaluator.ts';
export { queuePrefixes } from './queue-evaluators.ts';
export { insertRepositorySuites, type RepositorySuite } from './store.ts';
export { bypassedLines, RuleViolations, refusalMessage } from './violations.ts';
export {
  type EvaluateMove,
  evaluateMoves,
  explainEvaluation,
  explainMove,
  findMergeObstacle,
  moveEvaluator,
  pushRules,
  type RuleExplanation,
  recordMoveEvaluations,
} from './ways-in.ts';
