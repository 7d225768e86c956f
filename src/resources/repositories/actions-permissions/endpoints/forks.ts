// Workflows of pull requests from forks: which ones need an approval, and what they may do in private repositories.
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { loadInForce } from '../load.ts';
import { changesOrganization, changesRepository, readsOrganization, readsRepository } from '../policies.ts';
import { changeSettings } from '../rules.ts';
import { ForkApproval, PrivateForkWorkflows, PrivateForkWorkflowsChange } from '../schemas.ts';

export const { org: getOrganizationForkApproval, repo: getRepositoryForkApproval } = endpointVariants(
  {
    org: {
      id: 'actions/get-fork-pr-contributor-approval-permissions-organization',
      path: '/orgs/{org}/actions/permissions/fork-pr-contributor-approval',
      summary: 'Get fork pull request contributor approval for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'actions/get-fork-pr-contributor-approval-permissions-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval',
      summary: 'Get fork pull request contributor approval for a repository',
      access: readsRepository,
    },
  },
  {
    method: 'GET',
    replies: { 200: ForkApproval },
    async handle({ db, at }) {
      const { approval_policy } = (await loadInForce(db, at)).settings;
      return { approval_policy };
    },
  },
);

export const { org: setOrganizationForkApproval, repo: setRepositoryForkApproval } = endpointVariants(
  {
    org: {
      id: 'actions/set-fork-pr-contributor-approval-permissions-organization',
      path: '/orgs/{org}/actions/permissions/fork-pr-contributor-approval',
      summary: 'Set fork pull request contributor approval for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'actions/set-fork-pr-contributor-approval-permissions-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval',
      summary: 'Set fork pull request contributor approval for a repository',
      access: changesRepository,
    },
  },
  {
    method: 'PUT',
    body: ForkApproval,
    example: { approval_policy: 'all_external_contributors' },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSettings(scope, action, body));
    },
  },
);

export const { org: getOrganizationPrivateForkWorkflows, repo: getRepositoryPrivateForkWorkflows } = endpointVariants(
  {
    org: {
      id: 'actions/get-private-repo-fork-pr-workflows-settings-organization',
      path: '/orgs/{org}/actions/permissions/fork-pr-workflows-private-repos',
      summary: 'Get workflows of fork pull requests in private repositories for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'actions/get-private-repo-fork-pr-workflows-settings-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/fork-pr-workflows-private-repos',
      summary: 'Get workflows of fork pull requests in private repositories for a repository',
      access: readsRepository,
    },
  },
  {
    method: 'GET',
    replies: { 200: PrivateForkWorkflows },
    async handle({ db, at }) {
      const { settings } = await loadInForce(db, at);
      return {
        run_workflows_from_fork_pull_requests: settings.run_workflows_from_fork_pull_requests,
        send_write_tokens_to_workflows: settings.send_write_tokens_to_workflows,
        send_secrets_and_variables: settings.send_secrets_and_variables,
        require_approval_for_fork_pr_workflows: settings.require_approval_for_fork_pr_workflows,
      };
    },
  },
);

export const { org: setOrganizationPrivateForkWorkflows, repo: setRepositoryPrivateForkWorkflows } = endpointVariants(
  {
    org: {
      id: 'actions/set-private-repo-fork-pr-workflows-settings-organization',
      path: '/orgs/{org}/actions/permissions/fork-pr-workflows-private-repos',
      summary: 'Set workflows of fork pull requests in private repositories for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'actions/set-private-repo-fork-pr-workflows-settings-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/fork-pr-workflows-private-repos',
      summary: 'Set workflows of fork pull requests in private repositories for a repository',
      access: changesRepository,
    },
  },
  {
    method: 'PUT',
    body: PrivateForkWorkflowsChange,
    example: { run_workflows_from_fork_pull_requests: false, require_approval_for_fork_pr_workflows: true },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSettings(scope, action, body));
    },
  },
);
