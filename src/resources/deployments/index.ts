export { deploymentEvaluators } from './rule-evaluators.ts';
export { listActiveDeploymentEnvironments } from './store.ts';
