export { explainUpdates } from './explain.ts';
