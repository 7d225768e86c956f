-- What organizations and repositories say about workflows: null where they never said it. What holds for a repository follows from both.
create table actions_organization_settings (
  organization_id bigint primary key references accounts on delete cascade,
  enabled_selection_id bigint unique references repository_selections,
  runners_selection_id bigint unique references repository_selections,
  allowed_actions text check (allowed_actions in ('all', 'local_only', 'selected')),
  service_owned_allowed boolean,
  verified_allowed boolean,
  patterns_allowed text[],
  sha_pinning_required boolean,
  default_workflow_permissions text check (default_workflow_permissions in ('read', 'write')),
  can_approve_pull_request_reviews boolean,
  artifact_and_log_retention_days integer check (artifact_and_log_retention_days > 0),
  approval_policy text
    check (approval_policy in ('first_time_contributors_new_to_service', 'first_time_contributors', 'all_external_contributors')),
  run_workflows_from_fork_pull_requests boolean,
  send_write_tokens_to_workflows boolean,
  send_secrets_and_variables boolean,
  require_approval_for_fork_pr_workflows boolean,
  max_cache_retention_days integer check (max_cache_retention_days > 0),
  max_cache_size_gb integer check (max_cache_size_gb > 0)
);

create table actions_repository_settings (
  repository_id bigint primary key references repositories on delete cascade,
  enabled boolean,
  access_level text check (access_level in ('none', 'user', 'organization')),
  allowed_actions text check (allowed_actions in ('all', 'local_only', 'selected')),
  service_owned_allowed boolean,
  verified_allowed boolean,
  patterns_allowed text[],
  sha_pinning_required boolean,
  default_workflow_permissions text check (default_workflow_permissions in ('read', 'write')),
  can_approve_pull_request_reviews boolean,
  artifact_and_log_retention_days integer check (artifact_and_log_retention_days > 0),
  approval_policy text
    check (approval_policy in ('first_time_contributors_new_to_service', 'first_time_contributors', 'all_external_contributors')),
  run_workflows_from_fork_pull_requests boolean,
  send_write_tokens_to_workflows boolean,
  send_secrets_and_variables boolean,
  require_approval_for_fork_pr_workflows boolean,
  max_cache_retention_days integer check (max_cache_retention_days > 0),
  max_cache_size_gb integer check (max_cache_size_gb > 0)
);
