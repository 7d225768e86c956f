export { loadSecretsForJob } from './job.ts';
