import type { Endpoint } from '#endpoint/endpoint.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Services } from '#endpoint/services.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Subscriber } from '#events/subscription.ts';
import type { BackgroundLoop } from '#jobs/background-loop.ts';
import type { Job } from '#jobs/job.ts';
import { namedSchemas } from '#openapi/schemas.ts';
import { accounts } from './accounts/family.ts';
import { actionsConfiguration } from './actions-configuration/family.ts';
import { actionsOidc } from './actions-oidc/family.ts';
import { actionsPermissions } from './actions-permissions/family.ts';
import { actionsSecrets } from './actions-secrets/family.ts';
import { actionsVariables } from './actions-variables/family.ts';
import { admin } from './admin/family.ts';
import { apps } from './apps/family.ts';
import { artifacts } from './artifacts/family.ts';
import { assistant } from './assistant/family.ts';
import { autolinks } from './autolinks/family.ts';
import { billing } from './billing/family.ts';
import { branchNames } from './branch-names/family.ts';
import { branchProtection } from './branch-protection/family.ts';
import { branches } from './branches/family.ts';
import { caches } from './caches/family.ts';
import { checks } from './checks/family.ts';
import { codeOwners } from './code-owners/family.ts';
import { codeScanning } from './code-scanning/family.ts';
import { scanEvaluators } from './code-scanning/index.ts';
import { codeSecurity } from './code-security/family.ts';
import { collaborators } from './collaborators/family.ts';
import { commitComments } from './commit-comments/family.ts';
import { commitStatuses } from './commit-statuses/family.ts';
import { commitVerification } from './commit-verification/family.ts';
import { commits } from './commits/family.ts';
import { contents } from './contents/family.ts';
import { customProperties } from './custom-properties/family.ts';
import { dependencyAlerts } from './dependency-alerts/family.ts';
import { dependencyBot } from './dependency-bot/family.ts';
import { dependencyGraph } from './dependency-graph/family.ts';
import { deployKeys } from './deploy-keys/family.ts';
import { deployments } from './deployments/family.ts';
import { deploymentEvaluators } from './deployments/index.ts';
import { emojis } from './emojis/family.ts';
import { encryptionKeys } from './encryption-keys/family.ts';
import { environments } from './environments/family.ts';
import { endpointsOf, type Family } from './family.ts';
import { gitData } from './git-data/family.ts';
import { gitignore } from './gitignore/family.ts';
import { hostedJobs } from './hosted-jobs/family.ts';
import { hostedRunners } from './hosted-runners/family.ts';
import { identityTokens } from './identity-tokens/family.ts';
import { immutableReleases } from './immutable-releases/family.ts';
import { interactionLimits } from './interaction-limits/family.ts';
import { issueFields } from './issue-fields/family.ts';
import { issueRelations } from './issue-relations/family.ts';
import { issues } from './issues/family.ts';
import { jobUploads } from './job-uploads/family.ts';
import { labels } from './labels/family.ts';
import { licenses } from './licenses/family.ts';
import { markdown } from './markdown/family.ts';
import { members } from './members/family.ts';
import { meta } from './meta/family.ts';
import { migrations } from './migrations/family.ts';
import { milestones } from './milestones/family.ts';
import { notifications } from './notifications/family.ts';
import { oauth } from './oauth/family.ts';
import { organizationDeletion } from './organization-deletion/family.ts';
import { organizationInvitations } from './organization-invitations/family.ts';
import { organizationRoles } from './organization-roles/family.ts';
import { organizations } from './organizations/family.ts';
import { pages } from './pages/family.ts';
import { privateRegistries } from './private-registries/family.ts';
import { pulls } from './pulls/family.ts';
import { pushes } from './pushes/family.ts';
import { reactions } from './reactions/family.ts';
import { refRules as refRulesFamily } from './ref-rules/family.ts';
import {
  gitEvaluators,
  type RuleEvaluators,
  secretEvaluators,
  signatureEvaluators,
  statusEvaluators,
} from './ref-rules/index.ts';
import { releases } from './releases/family.ts';
import { repositories } from './repositories/family.ts';
import { repositoryAdvisories } from './repository-advisories/family.ts';
import { repositoryDispatches } from './repository-dispatches/family.ts';
import { repositoryImports } from './repository-imports/family.ts';
import { repositorySecurity } from './repository-security/family.ts';
import { repositorySelections } from './repository-selections/family.ts';
import { reviews } from './reviews/family.ts';
import { reviewEvaluators } from './reviews/index.ts';
import { rulesets } from './rulesets/family.ts';
import { runnerGroups } from './runner-groups/family.ts';
import { runners } from './runners/family.ts';
import { search } from './search/family.ts';
import { secretScanning } from './secret-scanning/family.ts';
import { signingKeys } from './signing-keys/family.ts';
import { stars } from './stars/family.ts';
import { storedFiles } from './stored-files/family.ts';
import { teamRepositories } from './team-repositories/family.ts';
import { teams } from './teams/family.ts';
import { timelines } from './timelines/family.ts';
import { tokenApprovals } from './token-approvals/family.ts';
import { tokens } from './tokens/family.ts';
import { watching } from './watching/family.ts';
import { webhooks } from './webhooks/family.ts';
import { workflowRuns } from './workflow-runs/family.ts';
import { workflowTriggers } from './workflow-triggers/family.ts';
import { workflows } from './workflows/family.ts';

/** The families in their order: a family may import only families above it. */
const families = [
  accounts,
  signingKeys,
  members,
  tokens,
  runnerGroups,
  organizations,
  teams,
  organizationInvitations,
  organizationRoles,
  licenses,
  gitignore,
  labels,
  customProperties,
  repositories,
  tokenApprovals,
  repositorySecurity,
  interactionLimits,
  repositorySelections,
  immutableReleases,
  billing,
  assistant,
  actionsPermissions,
  actionsOidc,
  collaborators,
  teamRepositories,
  watching,
  stars,
  autolinks,
  deployKeys,
  commitVerification,
  commits,
  secretScanning,
  codeSecurity,
  dependencyGraph,
  dependencyAlerts,
  repositoryAdvisories,
  dependencyBot,
  apps,
  checks,
  branchNames,
  rulesets,
  branchProtection,
  commitStatuses,
  refRulesFamily,
  pushes,
  gitData,
  branches,
  contents,
  organizationDeletion,
  milestones,
  reactions,
  issueFields,
  issues,
  issueRelations,
  pulls,
  codeOwners,
  reviews,
  codeScanning,
  environments,
  encryptionKeys,
  actionsConfiguration,
  actionsSecrets,
  actionsVariables,
  deployments,
  timelines,
  commitComments,
  releases,
  markdown,
  repositoryImports,
  notifications,
  migrations,
  admin,
  meta,
  emojis,
  privateRegistries,
  search,
  hostedRunners,
  runners,
  workflows,
  workflowRuns,
  hostedJobs,
  jobUploads,
  artifacts,
  caches,
  identityTokens,
  repositoryDispatches,
  pages,
  oauth,
] as const;

const hooks = webhooks(families);
const triggers = workflowTriggers(families);
const files = storedFiles(families);

type KindsOf<One> = One extends Family<string, infer Events> ? keyof Events : never;
type UndeclaredKind = Exclude<EventKind, KindsOf<(typeof families)[number] | typeof hooks>>;

/**
 * All families, webhooks and the triggers of workflows last, since they deliver the events of the others. A kind of event that no family declares is a type
 * error here that names the kind.
 */
export const allFamilies: [UndeclaredKind] extends [never] ? readonly Family[] : UndeclaredKind = [
  ...families,
  files,
  hooks,
  triggers,
];

/** Every endpoint, with the family that it belongs to. */
export const allEndpoints: readonly (Endpoint & { readonly family: string })[] = allFamilies.flatMap(endpointsOf);

/** The schemas that have names in the description of the API. */
export const allSchemas = namedSchemas(allFamilies.flatMap(({ schemas = {}, endpoints = [] }) => [schemas, ...endpoints]));

/** Judges the rules on refs: each type has one evaluator, in the family that knows its facts. */
export const ruleEvaluators: RuleEvaluators = {
  ...gitEvaluators,
  ...statusEvaluators,
  ...reviewEvaluators,
  ...scanEvaluators,
  ...deploymentEvaluators,
  ...signatureEvaluators,
  ...secretEvaluators,
};

/** The subscriptions of all families: background work that events start. */
export const allSubscriptions: readonly Subscriber<JobContext>[] = allFamilies.flatMap(({ subscriptions = [] }) => subscriptions);

/** The jobs of all families: scheduled ones, and those that rules enqueue. */
export const allJobs: readonly Job<never, JobContext>[] = allFamilies.flatMap(({ jobs = [] }) => jobs);

/** The loops that a worker runs beside the job queue. */
export const allBackgroundLoops: readonly BackgroundLoop<Services>[] = allFamilies.flatMap(({ loops = [] }) => loops);
