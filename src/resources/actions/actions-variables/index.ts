export { loadVariablesForJob } from './job.ts';
