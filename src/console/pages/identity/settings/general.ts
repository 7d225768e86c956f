// The general settings of a repository and an organization, limits on interactions, and what is switched on for security.

import { settingsList } from '#console/components/settings-list.ts';
import { chips, factList, onOff } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOrganizationSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { type PageContent, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { html } from '#html/template.ts';
import { listSecurityConfigurations } from '#resources/code/code-security/endpoints.ts';
import { getOrganization } from '#resources/identity/organizations/endpoints.ts';
import {
  getOrganizationPermissions,
  getRepositoryPermissions,
} from '#resources/repositories/actions-permissions/endpoints/permissions.ts';
import {
  getOrganizationWorkflowPermissions,
  getRepositoryWorkflowPermissions,
} from '#resources/repositories/actions-permissions/endpoints/workflows.ts';
import {
  getCreationCap,
  getOrgLimit,
  getRepoCreationCap,
  getRepoLimit,
} from '#resources/repositories/interaction-limits/endpoints.ts';
import {
  checkAutomatedSecurityFixes,
  checkPrivateVulnerabilityReporting,
  checkVulnerabilityAlerts,
} from '#resources/repositories/repository-security/endpoints.ts';

export const repositorySettings = page({
  path: '/{owner}/{repo}/settings',
  frame: inRepositorySettings('settings'),
  // Administrators alone may read the limit, and see this page.
  reads: () => ({ limit: read(getRepoLimit) }),
  render: ({ repository }, request) => ({
    title: `Settings · ${repository.full_name}`,
    body: html`<h1>General</h1>${factList([
      ['Name', repository.full_name],
      ['Description', repository.description],
      ['Website', repository.homepage],
      ['Visibility', repository.visibility],
      ['Default branch', html`<code>${repository.default_branch}</code>`],
      ['Topics', repository.topics.length > 0 && chips(repository.topics)],
      ['Archived', repository.archived ? 'yes' : 'no'],
      ['Template', repository.is_template ? 'yes' : 'no'],
      ['Created', timeAgo(repository.created_at, request.now)],
    ])}<h2>Features</h2>${factList([
      ['Issues', onOff(repository.has_issues)],
      ['Pull requests', onOff(repository.has_pull_requests)],
      ['Pull requests by', repository.pull_request_creation_policy === 'all' ? 'everybody who may read' : 'people with a role'],
      ['Website', onOff(repository.has_pages)],
      ['Forks', onOff(repository.allow_forking)],
    ])}<h2>Pull requests</h2>${factList([
      ['Merge commits', onOff(repository.allow_merge_commit)],
      ['Squash merging', onOff(repository.allow_squash_merge)],
      ['Rebase merging', onOff(repository.allow_rebase_merge)],
      ['Suggests to update branches', onOff(repository.allow_update_branch)],
      ['Deletes branches after merging', onOff(repository.delete_branch_on_merge)],
      ['Commits on the web are signed off', onOff(repository.web_commit_signoff_required)],
    ])}<p class="soft small">Change them with <code>gh repo edit</code> or
<code>PATCH /repos/${repository.full_name}</code>.</p>`,
  }),
});

const creationWords = { all: 'all kinds', private: 'private ones', none: 'none' } as const;

export const organizationSettings = page({
  path: '/organizations/{org}/settings',
  frame: inOrganizationSettings(''),
  // Owners alone may read the limit, and see this page.
  reads: () => ({ organization: read(getOrganization), limit: read(getOrgLimit) }),
  render({ organization }, request) {
    const creation = organization.members_allowed_repository_creation_type;
    return {
      title: `Settings · ${organization.login}`,
      body: html`<h1>General</h1>${factList([
        ['Login', organization.login],
        ['Name', organization.name],
        ['Description', organization.description],
        ['E-mail', organization.email],
        ['Billing', organization.billing_email],
        ['Location', organization.location],
        ['Website', organization.blog],
        ['Created', timeAgo(organization.created_at, request.now)],
      ])}<h2>What members may do</h2>${factList([
        ['Role in all repositories', organization.default_repository_permission],
        ['Create repositories', creation && creationWords[creation]],
        ['Fork private repositories', onOff(organization.members_can_fork_private_repositories)],
        ['Delete repositories', onOff(organization.members_can_delete_repositories)],
        ['Change visibility', onOff(organization.members_can_change_repo_visibility)],
        ['Invite outsiders', onOff(organization.members_can_invite_outside_collaborators)],
        ['Create teams', onOff(organization.members_can_create_teams)],
        ['Delete issues', onOff(organization.members_can_delete_issues)],
        ['Publish websites', onOff(organization.members_can_create_pages)],
      ])}<h2>Repositories</h2>${factList([
        ['Deploy keys', onOff(organization.deploy_keys_enabled_for_repositories)],
        ['Commits on the web are signed off', onOff(organization.web_commit_signoff_required)],
      ])}<p class="soft small">Change them with <code>PATCH /orgs/${organization.login}</code>.</p>`,
    };
  },
});

type ShownLimit = { readonly limit?: string; readonly origin?: string; readonly expires_at?: string };
type ShownCap = { readonly enabled: boolean; readonly max_open_pull_requests: number };

const groupWords: Readonly<Record<string, string>> = {
  existing_users: 'people whose account is older than a day',
  contributors_only: 'people who have contributed before',
  collaborators_only: 'people with a role',
};

const limitsContent = (
  { limit, origin, expires_at }: ShownLimit,
  cap: ShownCap | undefined,
  { now }: PageRequest,
): PageContent => ({
  title: 'Interaction limits',
  body: html`<h1>Interaction limits</h1>
<p class="soft">For a time, only some people can comment and open issues and pull requests.</p>${
    limit === undefined
      ? html`<p>There is no limit: everybody who may read can take part.</p>`
      : factList([
          ['Only', groupWords[limit] ?? limit],
          ['Set by', origin],
          ['Ends', timeAgo(expires_at, now)],
        ])
  }<h2>Open pull requests</h2>${
    cap?.enabled
      ? html`<p>Each person without a role may have ${cap.max_open_pull_requests} at a time.</p>`
      : html`<p>Their number is not limited.</p>`
  }`,
});

export const repositoryLimits = page({
  path: '/{owner}/{repo}/settings/interaction_limits',
  frame: inRepositorySettings('settings/interaction_limits'),
  reads: () => ({ limit: read(getRepoLimit), cap: readOptional(getRepoCreationCap) }),
  render: ({ limit, cap }, request) => limitsContent(limit, cap, request),
});

export const organizationLimits = page({
  path: '/organizations/{org}/settings/interaction_limits',
  frame: inOrganizationSettings('interaction_limits'),
  reads: () => ({ limit: read(getOrgLimit), cap: readOptional(getCreationCap) }),
  render: ({ limit, cap }, request) => limitsContent(limit, cap, request),
});

export const repositorySecurity = page({
  path: '/{owner}/{repo}/settings/security_analysis',
  frame: inRepositorySettings('settings/security_analysis'),
  reads: () => ({
    // Administrators alone may read the limit, and see this page.
    limit: read(getRepoLimit),
    fixes: readOptional(checkAutomatedSecurityFixes),
    alerts: readOptional(checkVulnerabilityAlerts),
    reporting: readOptional(checkPrivateVulnerabilityReporting),
  }),
  render({ repository, fixes, alerts, reporting }) {
    const { security_and_analysis: products } = repository;
    return {
      title: `Security · ${repository.full_name}`,
      body: html`<h1>Security</h1><p class="soft">What is looked for in this repository, and what happens then.</p>${factList([
        ['Alerts of dependencies', onOff(alerts === true)],
        ['Updates that fix them', html`${onOff(fixes?.enabled)}${fixes?.paused ? ' (paused)' : ''}`],
        ['Secret scanning', onOff(products?.secret_scanning.status === 'enabled')],
        ['Pushes of secrets are refused', onOff(products?.secret_scanning_push_protection.status === 'enabled')],
        ['Own patterns of secrets', onOff(products?.secret_scanning_non_provider_patterns.status === 'enabled')],
        ['Private reports of vulnerabilities', onOff(reporting?.enabled)],
      ])}`,
    };
  },
});

const securityFrame = inOrganizationSettings('security_products');
const statusWords = { enabled: 'on', disabled: 'off', not_set: 'left to repositories' } as const;

export const organizationSecurity = page({
  path: '/organizations/{org}/settings/security_products',
  frame: securityFrame,
  reads: ({ query }) => ({ configurations: read(listSecurityConfigurations, { query: { per_page: 50, page: query.page } }) }),
  render: ({ configurations }, request, positions) =>
    settingsList({
      title: 'Security',
      intro: 'Configurations that are attached to repositories. An enforced one can’t be changed there.',
      columns: ['Configuration', 'From', 'Enforced', 'Dependencies', 'Secrets', 'Code scanning'],
      rows: configurations.map((one) => [
        html`<span id="configuration-${one.id}">${one.name}</span><p class="soft small">${one.description}</p>`,
        one.target_type === 'global' ? 'this server' : 'the organization',
        onOff(one.enforcement === 'enforced'),
        statusWords[one.dependency_bot_alerts],
        statusWords[one.secret_scanning],
        statusWords[one.code_scanning_default_setup],
      ]),
      empty: { icon: 'shield', title: 'Configurations of security will be listed here.' },
      request,
      position: positions.configurations,
    }),
});

const securityPath = (login: string): string => `/organizations/${login}/settings/security_products`;

/** The addresses of configurations in replies. */
export const organizationConfiguration = page({
  path: '/organizations/{org}/settings/security_products/configurations/edit/{configuration_id}',
  frame: securityFrame,
  reads: () => ({ configurations: read(listSecurityConfigurations) }),
  render: ({ account }, { words }) => ({ redirect: `${securityPath(account.login)}#configuration-${words.configuration_id}` }),
});

export const globalConfiguration = page({
  path: '/organizations/{org}/settings/security_products/configurations/view',
  frame: securityFrame,
  reads: () => ({ configurations: read(listSecurityConfigurations) }),
  render: ({ account }) => ({ redirect: securityPath(account.login) }),
});

const actionWords = { all: 'all', local_only: 'those of the same owner', selected: 'chosen ones' } as const;
const tokenWords = { read: 'read contents and packages', write: 'read and write' } as const;

type WorkflowDefaults = {
  readonly default_workflow_permissions: 'read' | 'write';
  readonly can_approve_pull_request_reviews: boolean;
};

const workflowFacts = (workflows: WorkflowDefaults | undefined): [string, ReturnType<typeof onOff> | string | undefined][] => [
  ['Tokens of jobs may', workflows && tokenWords[workflows.default_workflow_permissions]],
  ['They may approve pull requests', workflows && onOff(workflows.can_approve_pull_request_reviews)],
];

export const repositoryActions = page({
  path: '/{owner}/{repo}/settings/actions',
  frame: inRepositorySettings('settings/actions'),
  reads: () => ({ permissions: read(getRepositoryPermissions), workflows: readOptional(getRepositoryWorkflowPermissions) }),
  render: ({ permissions, workflows }) => ({
    title: 'Permissions of workflows',
    body: html`<h1>Permissions of workflows</h1>${factList([
      ['Workflows', onOff(permissions.enabled)],
      ['Actions that may be used', permissions.enabled && actionWords[permissions.allowed_actions]],
      ['Actions need a full commit', onOff(permissions.sha_pinning_required)],
      ...workflowFacts(workflows),
    ])}`,
  }),
});

const enabledWords = { all: 'in all repositories', none: 'in no repository', selected: 'in chosen repositories' } as const;

export const organizationActions = page({
  path: '/organizations/{org}/settings/actions',
  frame: inOrganizationSettings('actions'),
  reads: () => ({ permissions: read(getOrganizationPermissions), workflows: readOptional(getOrganizationWorkflowPermissions) }),
  render: ({ permissions, workflows }) => ({
    title: 'Permissions of workflows',
    body: html`<h1>Permissions of workflows</h1>${factList([
      ['Workflows run', enabledWords[permissions.enabled_repositories]],
      ['Actions that may be used', actionWords[permissions.allowed_actions]],
      ['Actions need a full commit', onOff(permissions.sha_pinning_required)],
      ...workflowFacts(workflows),
    ])}`,
  }),
});
