export { groupTakesWorkflow, servesRepository } from './group-store.ts';
export { authenticateRunner, createRunnerToken, declareRunner, labelsOf, type RunnerFacts, registerRunner } from './rules.ts';
export { noteSeen, notifyQueued, queuedChannel, type RunnerOwner, type RunnerRow, removeRunner } from './store.ts';
