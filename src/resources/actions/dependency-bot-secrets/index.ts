export { loadBotSecretsForJob } from './job.ts';
