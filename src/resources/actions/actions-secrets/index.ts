export { loadEnvironmentSecrets, loadSecretsForJob } from './job.ts';
