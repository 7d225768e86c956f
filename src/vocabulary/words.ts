/**
 * All words that differ between the documents and the public API. The rest of this folder is derived from them. Each pair is
 * [neutral word, public API's word]. A word occurs once on each side of a list, so that every translation is reversible.
 */

/** `service` has the documents' neutral words, `github` the public API's. */
export const vocabularies = ['service', 'github'] as const;
export type Vocabulary = (typeof vocabularies)[number];

export type Pair = readonly [neutral: string, vendor: string];

/** The word in media types (`application/vnd.service+json`) and at the beginning of the media type header. */
export const mediaWord: Pair = ['service', 'github'];

/** The user agent of webhook deliveries, before a slash and the version. */
export const agentWord: Pair = ['Service-Hookshot', 'GitHub-Hookshot'];

export const headerWords: readonly Pair[] = [
  ['X-Service-Api-Version', 'X-GitHub-Api-Version'],
  ['X-Service-Api-Version-Selected', 'X-GitHub-Api-Version-Selected'],
  ['X-Service-Media-Type', 'X-GitHub-Media-Type'],
  ['X-Service-Request-Id', 'X-GitHub-Request-Id'],
  ['X-Service-OTP', 'X-GitHub-OTP'],
  ['X-Service-SSO', 'X-GitHub-SSO'],
  ['X-Service-Enterprise-Version', 'X-GitHub-Enterprise-Version'],
  ['X-Service-Enterprise-Host', 'X-GitHub-Enterprise-Host'],
  ['X-Accepted-Service-Permissions', 'X-Accepted-GitHub-Permissions'],
  ['Service-Authentication-Token-Expiration', 'GitHub-Authentication-Token-Expiration'],
  ['X-Service-Delivery', 'X-GitHub-Delivery'],
  ['X-Service-Event', 'X-GitHub-Event'],
  ['X-Service-Hook-ID', 'X-GitHub-Hook-ID'],
  ['X-Service-Hook-Installation-Target-ID', 'X-GitHub-Hook-Installation-Target-ID'],
  ['X-Service-Hook-Installation-Target-Type', 'X-GitHub-Hook-Installation-Target-Type'],
];

/**
 * Fixed segments of paths: the last segment of each path is translated. `{}` matches any segment, and further segments are kept.
 */
export const pathWords: readonly Pair[] = [
  ['/orgs/{}/actions/hosted-runners/images/service-owned', '/orgs/{}/actions/hosted-runners/images/github-owned'],
  ['/orgs/{}/assistant', '/orgs/{}/copilot'],
  ['/orgs/{}/assistant-spaces', '/orgs/{}/copilot-spaces'],
  ['/orgs/{}/dependency-bot', '/orgs/{}/dependabot'],
  ['/orgs/{}/members/{}/assistant', '/orgs/{}/members/{}/copilot'],
  ['/orgs/{}/team/{}/assistant', '/orgs/{}/team/{}/copilot'],
  ['/repos/{}/{}/dependency-bot', '/repos/{}/{}/dependabot'],
];

/** Names of path parameters in the OpenAPI document. */
export const parameterWords: readonly Pair[] = [['advisory_id', 'ghsa_id']];

/** Categories of permission sets, in tokens, installations and the accepted-permissions header. */
export const permissionWords: readonly Pair[] = [
  ['dependency_bot_secrets', 'dependabot_secrets'],
  ['organization_assistant_agent_settings', 'organization_copilot_agent_settings'],
  ['organization_assistant_business', 'organization_copilot_seat_management'],
  ['organization_dependency_bot_secrets', 'organization_dependabot_secrets'],
  ['organization_webhooks', 'organization_hooks'],
  ['repository_webhooks', 'repository_hooks'],
];

/** Names of JSON fields, translated if a schema declares them. */
export const fieldWords: readonly Pair[] = [
  ...permissionWords,
  ['advisory_id', 'ghsa_id'],
  ['advisory_identifier', 'advisory_ghsa_id'],
  ['assistant', 'copilot'],
  ['assistant_ide_chat', 'copilot_ide_chat'],
  ['assistant_ide_code_completions', 'copilot_ide_code_completions'],
  ['assistant_usage_records', 'copilot_usage_records'],
  ['assistant_web_chat', 'copilot_dotcom_chat'],
  ['assistant_web_pull_requests', 'copilot_dotcom_pull_requests'],
  ['dependency_bot', 'dependabot'],
  ['dependency_bot_alerts', 'dependabot_alerts'],
  ['dependency_bot_alerts_enabled_for_new_repositories', 'dependabot_alerts_enabled_for_new_repositories'],
  ['dependency_bot_delegated_alert_dismissal', 'dependabot_delegated_alert_dismissal'],
  ['dependency_bot_security_updates', 'dependabot_security_updates'],
  ['dependency_bot_security_updates_enabled_for_new_repositories', 'dependabot_security_updates_enabled_for_new_repositories'],
  ['is_cname_to_pages_dot_service_dot_com', 'is_cname_to_pages_dot_github_dot_com'],
  ['is_cname_to_service_user_domain', 'is_cname_to_github_user_domain'],
  ['is_non_service_pages_ip_present', 'is_non_github_pages_ip_present'],
  ['is_pointed_to_service_pages_ip', 'is_pointed_to_github_pages_ip'],
  ['performed_via_service_app', 'performed_via_github_app'],
  ['registry_a_oidc_provider_name', 'jfrog_oidc_provider_name'],
  ['service_enterprise_importer', 'github_enterprise_importer'],
  ['service_owned_allowed', 'github_owned_allowed'],
  ['service_reviewed_at', 'github_reviewed_at'],
];

// Document 2 has other names for a runner's image and its size.
const runnerWords: readonly Pair[] = [
  ['image', 'image_details'],
  ['size', 'size_gb'],
];

/** Field names that differ in the replies of single operations. */
export const fieldWordsOfOperation: Readonly<Record<string, readonly Pair[]>> = {
  'actions/list-hosted-runners-for-org': runnerWords,
  'actions/create-hosted-runner-for-org': runnerWords,
  'actions/get-hosted-runner-for-org': runnerWords,
  'actions/update-hosted-runner-for-org': runnerWords,
  'actions/delete-hosted-runner-for-org': runnerWords,
  'actions/list-github-hosted-runners-in-group-for-org': runnerWords,
  // Document 2 gives this list the same name as the list of an image's versions.
  'actions/list-custom-images-for-org': [['image_versions', 'images']],
};

const imageSources: readonly Pair[] = [['service', 'github']];

/** Values of closed sets, by the field, query parameter or path word that holds them. */
export const valueWords: Readonly<Record<string, readonly Pair[]>> = {
  approval_policy: [['first_time_contributors_new_to_service', 'first_time_contributors_new_to_github']],
  auth_type: [
    ['oidc_cloud_a', 'oidc_azure'],
    ['oidc_cloud_b', 'oidc_aws'],
    ['oidc_cloud_c', 'oidc_gcp'],
    ['oidc_registry_a', 'oidc_jfrog'],
    ['oidc_registry_b', 'oidc_cloudsmith'],
  ],
  image_source: imageSources,
  security_product: [
    ['dependency_bot_alerts', 'dependabot_alerts'],
    ['dependency_bot_security_updates', 'dependabot_security_updates'],
  ],
  source: imageSources,
  type: [
    ['ADVISORY', 'GHSA'],
    ['RepositoryDependencyBotAlertsThread', 'RepositoryDependabotAlertsThread'],
    ['assistant_code_review', 'copilot_code_review'],
  ],
};
