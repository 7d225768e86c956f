export { loadEnvironmentSecrets, loadSecretsForJob, loadSecretsOfStore } from './job.ts';
export { secretResources } from './path-resources.ts';
export { organizationSecretFields } from './schemas.ts';
export { secretEndpoints } from './secret-endpoints.ts';
export type { SecretStore } from './secret-store.ts';
