export type { GroupData } from './events.ts';
export { explainQueue } from './explain.ts';
