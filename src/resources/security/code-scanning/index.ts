export { scanEvaluators } from './rule-evaluators.ts';
