export { authenticateRunner, createRunnerToken, declareRunner, labelsOf, type RunnerFacts, registerRunner } from './rules.ts';
export { noteSeen, type RunnerOwner, type RunnerRow, removeRunner, servesRepository } from './store.ts';
