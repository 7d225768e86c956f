export { groupIncludes, groupTakesWorkflow, servesRepository } from './group-store.ts';
export { runnerLimits } from './limits.ts';
export { authenticateRunner, createHostedInstance, createRunnerToken, declareRunner, labelsOf, registerRunner } from './rules.ts';
export {
  type HostedInstance,
  listHostedInstances,
  noteSeen,
  notifyQueued,
  queuedChannel,
  type RunnerOwner,
  type RunnerRow,
  removeIdle,
  removeRunner,
  removeSpent,
} from './store.ts';
