// The effective settings of an organization and of a repository: defaults, and how an organization limits its repositories.

import type { Selectable } from 'kysely';
import type { DB } from '#database/tables.ts';
import { fixedValue } from '#lib/limits.ts';
import { actionsSettingLimits } from './limits.ts';
import { allowedActions, type SelectedActions } from './schemas.ts';

type OrganizationRow = Selectable<DB['actions_organization_settings']>;
type RepositoryRow = Selectable<DB['actions_repository_settings']>;

/** The settings that organizations and repositories share, except the lists of selected actions. */
export type Settings = {
  readonly [Name in Exclude<keyof OrganizationRow & keyof RepositoryRow, keyof SelectedActions>]: NonNullable<
    OrganizationRow[Name]
  >;
};

/** The stored settings: null or missing if a setting was never made. */
export type Said = { readonly [Name in keyof (Settings & SelectedActions)]?: (Settings & SelectedActions)[Name] | null };

const limits = actionsSettingLimits;

/** The public API's defaults; if it has none, the most cautious ones. */
const defaults: Settings = {
  allowed_actions: 'all',
  sha_pinning_required: false,
  default_workflow_permissions: 'read',
  can_approve_pull_request_reviews: false,
  artifact_and_log_retention_days: 90,
  approval_policy: 'first_time_contributors',
  run_workflows_from_fork_pull_requests: false,
  send_write_tokens_to_workflows: false,
  send_secrets_and_variables: false,
  require_approval_for_fork_pr_workflows: true,
  max_cache_retention_days: 7,
  max_cache_size_gb: 10,
};

/** The limits of a repository without an organization. */
const widest: Settings = {
  ...defaults,
  default_workflow_permissions: 'write',
  can_approve_pull_request_reviews: true,
  artifact_and_log_retention_days: fixedValue(limits.retentionDays),
  run_workflows_from_fork_pull_requests: true,
  send_write_tokens_to_workflows: true,
  send_secrets_and_variables: true,
  require_approval_for_fork_pr_workflows: false,
  max_cache_retention_days: fixedValue(limits.cacheRetentionDays),
  max_cache_size_gb: fixedValue(limits.cacheSize),
};

const both = (bound: boolean, wanted: boolean): boolean => bound && wanted;
const either = (bound: boolean, wanted: boolean): boolean => bound || wanted;
const narrower = (bound: Settings['allowed_actions'], wanted: Settings['allowed_actions']): Settings['allowed_actions'] =>
  allowedActions[Math.min(allowedActions.indexOf(bound), allowedActions.indexOf(wanted))] ?? 'local_only';

type Bounded = { readonly [Name in keyof Settings]: (bound: Settings[Name], wanted: Settings[Name]) => Settings[Name] };

/** The part of a setting that the limit allows. */
const bounded: Bounded = {
  allowed_actions: narrower,
  sha_pinning_required: either,
  default_workflow_permissions: (bound, wanted) => (bound === 'read' ? bound : wanted),
  can_approve_pull_request_reviews: both,
  artifact_and_log_retention_days: Math.min,
  // In the public API, repositories decide this themselves.
  approval_policy: (_, wanted) => wanted,
  run_workflows_from_fork_pull_requests: both,
  send_write_tokens_to_workflows: both,
  send_secrets_and_variables: both,
  require_approval_for_fork_pr_workflows: either,
  max_cache_retention_days: Math.min,
  max_cache_size_gb: Math.min,
};

const names = Object.keys(bounded) as (keyof Settings)[]; // the keys of the table above

const settingsBy = (settingOf: <Name extends keyof Settings>(name: Name) => Settings[Name]): Settings =>
  Object.fromEntries(names.map((name) => [name, settingOf(name)])) as Settings; // has each of the names

/** The settings of an organization. */
export const organizationSettings = (said: Said): Settings => settingsBy((name) => said[name] ?? defaults[name]);

/** The settings of a repository, limited by its organization's; undefined if a user owns it. */
export const repositorySettings = (organization: Settings | undefined, said: Said): Settings =>
  settingsBy((name) => bounded[name]((organization ?? widest)[name], said[name] ?? (organization ?? defaults)[name]));

/** The first requested setting of a repository that exceeds what its organization allows. */
export function beyond(organization: Settings | undefined, wanted: Said): keyof Settings | undefined {
  const isBeyond = <Name extends keyof Settings>(name: Name): boolean => {
    const wish = wanted[name];
    return wish !== undefined && wish !== null && bounded[name]((organization ?? widest)[name], wish) !== wish;
  };
  return names.find((name) => isBeyond(name));
}

/** The maximum number of days for keeping artifacts and logs of an organization, or of a repository within it. */
export const maximumDays = (organization?: Settings): number => (organization ?? widest).artifact_and_log_retention_days;

/** The list of selected actions. Settings without a value or a fallback allow nothing. */
export const selectedActions = (said: Said, fallback?: SelectedActions): SelectedActions => ({
  service_owned_allowed: said.service_owned_allowed ?? fallback?.service_owned_allowed ?? false,
  verified_allowed: said.verified_allowed ?? fallback?.verified_allowed ?? false,
  patterns_allowed: said.patterns_allowed ?? fallback?.patterns_allowed ?? [],
});
