// The default permissions of jobs' tokens, and which repositories may use the workflows of a private one.
import { endpoint } from '#endpoint/endpoint.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { loadInForce, loadRepository } from '../load.ts';
import { changesOrganization, changesRepository, readsOrganization, readsRepository } from '../policies.ts';
import { changeAccessLevel, changeSettings, refusePublic } from '../rules.ts';
import { WorkflowAccess, WorkflowPermissions, WorkflowPermissionsChange } from '../schemas.ts';

export const { org: getOrganizationWorkflowPermissions, repo: getRepositoryWorkflowPermissions } = endpointVariants(
  {
    org: {
      id: 'actions/get-github-actions-default-workflow-permissions-organization',
      path: '/orgs/{org}/actions/permissions/workflow',
      summary: 'Get default workflow permissions for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'actions/get-github-actions-default-workflow-permissions-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/workflow',
      summary: 'Get default workflow permissions for a repository',
      access: readsRepository,
    },
  },
  {
    method: 'GET',
    replies: { 200: WorkflowPermissions },
    async handle({ db, at }) {
      const { default_workflow_permissions, can_approve_pull_request_reviews } = (await loadInForce(db, at)).settings;
      return { default_workflow_permissions, can_approve_pull_request_reviews };
    },
  },
);

export const { org: setOrganizationWorkflowPermissions, repo: setRepositoryWorkflowPermissions } = endpointVariants(
  {
    org: {
      id: 'actions/set-github-actions-default-workflow-permissions-organization',
      path: '/orgs/{org}/actions/permissions/workflow',
      summary: 'Set default workflow permissions for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'actions/set-github-actions-default-workflow-permissions-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/workflow',
      summary: 'Set default workflow permissions for a repository',
      access: changesRepository,
      refuses: [409],
    },
  },
  {
    method: 'PUT',
    body: WorkflowPermissionsChange,
    example: { default_workflow_permissions: 'read', can_approve_pull_request_reviews: false },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSettings(scope, action, body));
    },
  },
);

export const getWorkflowAccess = endpoint({
  id: 'actions/get-workflow-access-to-repository',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/permissions/access',
  summary: 'Get the level of access for workflows outside of the repository',
  access: readsRepository,
  refuses: [422],
  replies: { 200: WorkflowAccess },
  async handle({ db, at }) {
    refusePublic(at.repo);
    return { access_level: (await loadRepository(db, at.repo)).accessLevel };
  },
});

export const setWorkflowAccess = endpoint({
  id: 'actions/set-workflow-access-to-repository',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/actions/permissions/access',
  summary: 'Set the level of access for workflows outside of the repository',
  access: changesRepository,
  body: WorkflowAccess,
  example: { access_level: 'none' },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => changeAccessLevel(scope, action, body.access_level));
  },
});
