import { actionsConfiguration } from './actions-configuration/family.ts';
import { actionsOidc } from './actions-oidc/family.ts';
import { actionsSecrets } from './actions-secrets/family.ts';
import { actionsVariables } from './actions-variables/family.ts';
import { artifacts } from './artifacts/family.ts';
import { caches } from './caches/family.ts';
import { defaultSetups } from './default-setups/family.ts';
import { dependencyBotSecrets } from './dependency-bot-secrets/family.ts';
import { dependencyUpdates } from './dependency-updates/family.ts';
import { deployments } from './deployments/family.ts';
import { encryptionKeys } from './encryption-keys/family.ts';
import { environments } from './environments/family.ts';
import { hostedJobs } from './hosted-jobs/family.ts';
import { hostedRunners } from './hosted-runners/family.ts';
import { identityTokens } from './identity-tokens/family.ts';
import { jobUploads } from './job-uploads/family.ts';
import { pages } from './pages/family.ts';
import { privateRegistries } from './private-registries/family.ts';
import { repositoryDispatches } from './repository-dispatches/family.ts';
import { requiredWorkflows } from './required-workflows/family.ts';
import { runners } from './runners/family.ts';
import { workflowRuns } from './workflow-runs/family.ts';
import { workflows } from './workflows/family.ts';

/**
 * The families of the product *actions* (workflows, and everything that runs them or stores and publishes their results), in
 * order: a family may import only families above it.
 */
export const actionsFamilies = [
  actionsOidc,
  identityTokens,
  environments,
  encryptionKeys,
  actionsConfiguration,
  actionsSecrets,
  dependencyBotSecrets,
  actionsVariables,
  deployments,
  privateRegistries,
  hostedRunners,
  runners,
  workflows,
  workflowRuns,
  requiredWorkflows,
  defaultSetups,
  hostedJobs,
  jobUploads,
  artifacts,
  caches,
  repositoryDispatches,
  dependencyUpdates,
  pages,
] as const;
