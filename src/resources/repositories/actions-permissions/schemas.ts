import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { OneOf, Patch } from '#lib/shape.ts';
import { SelectedIds } from '#resources/repositories/repository-selections/index.ts';
import { actionsSettingLimits } from './limits.ts';

const limits = actionsSettingLimits;
const upTo = (maximum: number) => Type.Integer({ minimum: 1, maximum });

const EnabledRepositories = OneOf(['all', 'none', 'selected']);
const SelectedUrl = Type.Optional(Type.String());

/** From the narrowest to the widest: each allows everything that the previous one allows. */
export const allowedActions = ['local_only', 'selected', 'all'] as const;
const AllowedActions = OneOf(allowedActions);

const actionPolicy = {
  allowed_actions: AllowedActions,
  selected_actions_url: SelectedUrl,
  sha_pinning_required: Type.Boolean(),
};
const actionPolicyChange = {
  allowed_actions: Type.Optional(AllowedActions),
  sha_pinning_required: Type.Optional(Type.Boolean()),
};

export const OrganizationActionsPermissions = Type.Object({
  enabled_repositories: EnabledRepositories,
  selected_repositories_url: SelectedUrl,
  ...actionPolicy,
});
export type OrganizationActionsPermissions = Static<typeof OrganizationActionsPermissions>;

export const OrganizationActionsPermissionsChange = Type.Object(
  { enabled_repositories: EnabledRepositories, ...actionPolicyChange },
  { title: 'ActionsPermissions' },
);
export type OrganizationActionsPermissionsChange = Static<typeof OrganizationActionsPermissionsChange>;

export const RepositoryActionsPermissions = Type.Object({ enabled: Type.Boolean(), ...actionPolicy });
export type RepositoryActionsPermissions = Static<typeof RepositoryActionsPermissions>;

export const RepositoryActionsPermissionsChange = Type.Object(
  { enabled: Type.Boolean(), ...actionPolicyChange },
  { title: 'ActionsPermissions' },
);
export type RepositoryActionsPermissionsChange = Static<typeof RepositoryActionsPermissionsChange>;

/** The actions and reusable workflows that `allowed_actions: selected` allows, in addition to those of the same owner. */
export const SelectedActions = Type.Object({
  service_owned_allowed: Type.Boolean(),
  verified_allowed: Type.Boolean(),
  patterns_allowed: Type.Array(Type.String({ minLength: 1, maxLength: fixedValue(limits.patternLength) }), {
    maxItems: fixedValue(limits.patterns),
  }),
});
export type SelectedActions = Static<typeof SelectedActions>;

export const SelectedActionsChange = Patch(SelectedActions, { title: 'SelectedActions' });
export type SelectedActionsChange = Static<typeof SelectedActionsChange>;

export const SelfHostedRunnersPermissions = Type.Object({
  enabled_repositories: EnabledRepositories,
  selected_repositories_url: SelectedUrl,
});
export type SelfHostedRunnersPermissions = Static<typeof SelfHostedRunnersPermissions>;

export const SelfHostedRunnersPermissionsChange = Type.Object(
  { enabled_repositories: EnabledRepositories, selected_repository_ids: Type.Optional(SelectedIds) },
  { title: 'SelfHostedRunnersPermissions' },
);

/** The default permissions of a job's token, if its workflow declares none. */
export const WorkflowPermissions = Type.Object({
  default_workflow_permissions: OneOf(['read', 'write']),
  can_approve_pull_request_reviews: Type.Boolean(),
});
export const WorkflowPermissionsChange = Patch(WorkflowPermissions, { title: 'WorkflowPermissions' });

/**
 * The repositories whose workflows may use the actions and workflows of a private repository: its own, its user's, or its
 * organization's.
 */
export const WorkflowAccess = Type.Object({ access_level: OneOf(['none', 'user', 'organization']) }, { title: 'WorkflowAccess' });

export const Retention = Type.Object({ days: Type.Integer(), maximum_allowed_days: Type.Integer() });
export const RetentionChange = Type.Object({ days: upTo(fixedValue(limits.retentionDays)) }, { title: 'Retention' });

/** The authors whose pull requests from forks need approval before workflows run. */
export const ForkApproval = Type.Object(
  {
    approval_policy: OneOf(['first_time_contributors_new_to_service', 'first_time_contributors', 'all_external_contributors']),
  },
  { title: 'ForkApproval' },
);

/** Workflows of pull requests from forks of private repositories. */
export const PrivateForkWorkflows = Type.Object({
  run_workflows_from_fork_pull_requests: Type.Boolean(),
  send_write_tokens_to_workflows: Type.Boolean(),
  send_secrets_and_variables: Type.Boolean(),
  require_approval_for_fork_pr_workflows: Type.Boolean(),
});
export const PrivateForkWorkflowsChange = Type.Object(
  {
    run_workflows_from_fork_pull_requests: Type.Boolean(),
    send_write_tokens_to_workflows: Type.Optional(Type.Boolean()),
    send_secrets_and_variables: Type.Optional(Type.Boolean()),
    require_approval_for_fork_pr_workflows: Type.Optional(Type.Boolean()),
  },
  { title: 'PrivateForkWorkflows' },
);

export const CacheRetention = Type.Object({ max_cache_retention_days: upTo(fixedValue(limits.cacheRetentionDays)) });
export const CacheRetentionChange = Patch(CacheRetention, { title: 'CacheRetention' });

/** The total size of a repository's caches, in gibibytes. */
export const CacheStorage = Type.Object({ max_cache_size_gb: upTo(fixedValue(limits.cacheSize)) });
export const CacheStorageChange = Patch(CacheStorage, { title: 'CacheStorage' });
