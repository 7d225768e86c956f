import { type Endpoint, isEndpoint } from '#endpoint/endpoint.ts';
import type { Services } from '#endpoint/services.ts';
import type { AnySubscription } from '#events/subscription.ts';
import type { BackgroundLoop } from '#jobs/background-loop.ts';
import type { Job } from '#jobs/job.ts';
import { namedSchemas } from '#openapi/schemas.ts';
import { deliveryLoop } from '#webhook-delivery/sender.ts';
import * as accounts from './accounts/endpoints.ts';
import * as accountSchemas from './accounts/schemas.ts';
import * as admin from './admin/endpoints.ts';
import * as adminSchemas from './admin/schemas.ts';
import * as apps from './apps/endpoints/apps.ts';
import * as appInstallations from './apps/endpoints/installations.ts';
import * as appTokens from './apps/endpoints/tokens.ts';
import * as appSchemas from './apps/schemas.ts';
import * as branches from './branches/endpoints.ts';
import * as branchSchemas from './branches/schemas.ts';
import * as collaborators from './collaborators/endpoints/collaborators.ts';
import * as repositoryInvitations from './collaborators/endpoints/invitations.ts';
import * as outsideCollaborators from './collaborators/endpoints/outside.ts';
import * as ownInvitations from './collaborators/endpoints/own-invitations.ts';
import * as collaboratorSchemas from './collaborators/schemas.ts';
import * as commits from './commits/endpoints.ts';
import * as commitSchemas from './commits/schemas.ts';
import * as archives from './contents/endpoints/archives.ts';
import * as files from './contents/endpoints/files.ts';
import * as languages from './contents/endpoints/languages.ts';
import * as repositoryLicense from './contents/endpoints/license.ts';
import { measureFiles, measureRest } from './contents/jobs.ts';
import * as contentSchemas from './contents/schemas.ts';
import * as gitCommits from './git-data/endpoints/commits.ts';
import * as gitObjects from './git-data/endpoints/objects.ts';
import * as gitRefs from './git-data/endpoints/refs.ts';
import * as gitSchemas from './git-data/schemas.ts';
import * as runnerCatalogue from './hosted-runners/endpoints/catalogue.ts';
import * as customImages from './hosted-runners/endpoints/images.ts';
import * as hostedRunners from './hosted-runners/endpoints/runners.ts';
import { dropImageContent, provisionRunner, removeRunnerMachine, resumeRunners } from './hosted-runners/jobs.ts';
import { reconcileRunners } from './hosted-runners/reconcile.ts';
import * as runnerSchemas from './hosted-runners/schemas.ts';
import * as interactionLimits from './interaction-limits/endpoints.ts';
import * as interactionLimitSchemas from './interaction-limits/schemas.ts';
import * as issueFields from './issue-fields/endpoints.ts';
import * as issueFieldSchemas from './issue-fields/schemas.ts';
import * as issueAssignees from './issues/endpoints/assignees.ts';
import * as issueComments from './issues/endpoints/comments.ts';
import * as issueEvents from './issues/endpoints/events.ts';
import * as issueFieldValues from './issues/endpoints/field-values.ts';
import * as issues from './issues/endpoints/issues.ts';
import * as issueLabels from './issues/endpoints/labels.ts';
import * as issueLists from './issues/endpoints/lists.ts';
import * as issueReactions from './issues/endpoints/reactions.ts';
import { unassignLost } from './issues/jobs.ts';
import * as issueSchemas from './issues/schemas.ts';
import { indexIssue, indexMissing, indexRenamed } from './issues/search-jobs.ts';
import * as labels from './labels/endpoints.ts';
import * as labelSchemas from './labels/schemas.ts';
import * as licenses from './licenses/endpoints.ts';
import * as licenseSchemas from './licenses/schemas.ts';
import * as members from './members/endpoints.ts';
import * as memberSchemas from './members/schemas.ts';
import * as meta from './meta/endpoints.ts';
import * as metaSchemas from './meta/schemas.ts';
import * as milestones from './milestones/endpoints.ts';
import * as milestoneSchemas from './milestones/schemas.ts';
import { removeExpired } from './oauth/jobs.ts';
import * as organizationRoles from './organization-roles/endpoints.ts';
import * as organizationRoleSchemas from './organization-roles/schemas.ts';
import * as organizations from './organizations/endpoints.ts';
import * as organizationSchemas from './organizations/schemas.ts';
import * as privateRegistries from './private-registries/endpoints.ts';
import { leaveRegistries } from './private-registries/jobs.ts';
import * as privateRegistrySchemas from './private-registries/schemas.ts';
import { indexCode, indexCommits, measure, settlePushes, sweepPushed, sweepUnfinished, tidy } from './pushes/jobs.ts';
import * as reactionSchemas from './reactions/schemas.ts';
import * as repositoryCopies from './repositories/endpoints/copies.ts';
import * as repositoryLists from './repositories/endpoints/lists.ts';
import * as repositories from './repositories/endpoints/repositories.ts';
import { removeFolder } from './repositories/jobs.ts';
import * as repositorySchemas from './repositories/schemas.ts';
import { embedIssue, embedMissing } from './search/embed-jobs.ts';
import * as search from './search/endpoints.ts';
import { catchUp, indexRepository } from './search/jobs.ts';
import * as searchSchemas from './search/schemas.ts';
import * as ownTeams from './teams/endpoints/own.ts';
import * as teamSchemas from './teams/schemas.ts';
import * as appWebhooks from './webhooks/endpoints/app.ts';
import * as orgWebhooks from './webhooks/endpoints/organizations.ts';
import * as repoWebhooks from './webhooks/endpoints/repositories.ts';
import { fanOutWebhooks } from './webhooks/fan-out.ts';
import { removeOldDeliveries } from './webhooks/jobs.ts';
import * as webhookSchemas from './webhooks/schemas.ts';

/** The families in their order, each with the modules of its endpoints and schemas: a family may import only families above it. */
const families: Record<string, readonly Record<string, unknown>[]> = {
  accounts: [accountSchemas, accounts],
  members: [memberSchemas, members],
  organizations: [organizationSchemas, organizations],
  'interaction-limits': [interactionLimitSchemas, interactionLimits],
  teams: [teamSchemas, ownTeams],
  'organization-roles': [organizationRoleSchemas, organizationRoles],
  licenses: [licenseSchemas, licenses],
  repositories: [repositorySchemas, repositories, repositoryLists, repositoryCopies],
  collaborators: [collaboratorSchemas, collaborators, repositoryInvitations, ownInvitations, outsideCollaborators],
  commits: [commitSchemas, commits],
  'git-data': [gitSchemas, gitObjects, gitCommits, gitRefs],
  branches: [branchSchemas, branches],
  contents: [contentSchemas, files, archives, languages, repositoryLicense],
  apps: [appSchemas, apps, appInstallations, appTokens],
  labels: [labelSchemas, labels],
  milestones: [milestoneSchemas, milestones],
  reactions: [reactionSchemas],
  'issue-fields': [issueFieldSchemas, issueFields],
  issues: [
    issueSchemas,
    issueEvents,
    issueLists,
    issues,
    issueComments,
    issueLabels,
    issueAssignees,
    issueReactions,
    issueFieldValues,
  ],
  admin: [adminSchemas, admin],
  meta: [metaSchemas, meta],
  'private-registries': [privateRegistrySchemas, privateRegistries],
  search: [searchSchemas, search],
  'hosted-runners': [runnerSchemas, hostedRunners, runnerCatalogue, customImages],
  webhooks: [webhookSchemas, orgWebhooks, repoWebhooks, appWebhooks],
};

/** Every endpoint, with the family that it belongs to. */
export const allEndpoints: readonly (Endpoint & { readonly family: string })[] = Object.entries(families).flatMap(
  ([family, modules]) =>
    modules.flatMap((exported) =>
      Object.values(exported)
        .filter(isEndpoint)
        .map((endpoint) => ({ ...endpoint, family })),
    ),
);

/** The schemas that have names in the description of the API. */
export const allSchemas = namedSchemas(Object.values(families).flat());

/** Everything that is done in the background because something happened. */
export const allSubscriptions: readonly AnySubscription<Services>[] = [
  removeFolder,
  indexCode,
  indexCommits,
  indexIssue,
  indexRenamed,
  indexRepository,
  measure,
  measureFiles,
  tidy,
  unassignLost,
  fanOutWebhooks,
  leaveRegistries,
  embedIssue,
];

/** Background work beside that: by the clock, or asked for by a rule. */
export const allJobs: readonly Job<never, Services>[] = [
  catchUp,
  indexMissing,
  measureRest,
  settlePushes,
  sweepUnfinished,
  sweepPushed,
  removeOldDeliveries,
  removeExpired,
  provisionRunner,
  removeRunnerMachine,
  resumeRunners,
  dropImageContent,
  embedMissing,
  reconcileRunners,
];

/** What workers do beside the queue. */
export const allBackgroundLoops: readonly BackgroundLoop<Services>[] = [deliveryLoop];
