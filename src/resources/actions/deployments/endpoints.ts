// Deployments and their statuses.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { identityOf } from '#resources/repositories/repositories/index.ts';
import { deployment, deploymentStatus } from './path-resources.ts';
import { readsDeployments, writesDeployments } from './policies.ts';
import { presentDeployment, presentDeployments, presentStatus, presentStatuses } from './present.ts';
import { createDeployment, createStatus, deleteDeployment } from './rules.ts';
import {
  Deployment,
  DeploymentFilter,
  DeploymentStatus,
  MergedForDeployment,
  NewDeployment,
  NewDeploymentStatus,
} from './schemas.ts';
import { listDeployments, listStatuses } from './store.ts';

export const listRepoDeployments = endpoint({
  id: 'repos/list-deployments',
  method: 'GET',
  path: '/repos/{owner}/{repo}/deployments',
  summary: 'List deployments',
  access: readsDeployments,
  query: DeploymentFilter,
  paging: pages(),
  replies: { 200: Type.Array(Deployment) },
  async handle({ scope, db, at, query, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listDeployments(db, at.repo.id, query, page), (rows) => presentDeployments(scope, urls, rows));
  },
});

export const createRepoDeployment = endpoint({
  id: 'repos/create-deployment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/deployments',
  summary: 'Create a deployment',
  access: writesDeployments,
  body: NewDeployment,
  example: {
    ref: 'main',
    task: 'deploy',
    auto_merge: false,
    required_contexts: [],
    payload: { region: 'north' },
    environment: 'staging',
    description: 'The first try',
    transient_environment: false,
    production_environment: false,
  },
  refuses: [409],
  replies: { 201: Deployment, 202: MergedForDeployment },
  async handle({ scope, at, body, action, viewer, now, links, reply }) {
    const identity = identityOf(viewer.account, links, now);
    const result = await createDeployment(scope, { ...action, identity }, body);
    if ('merged' in result) return reply(202, { message: result.merged });
    return reply(201, await presentDeployment(scope, repositoryUrlsOf(links, at.repo), result.created));
  },
});

export const getDeployment = endpoint({
  id: 'repos/get-deployment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/deployments/{deployment_id}',
  resources: [deployment],
  summary: 'Get a deployment',
  access: readsDeployments,
  replies: { 200: Deployment },
  async handle({ scope, at, links }) {
    return presentDeployment(scope, repositoryUrlsOf(links, at.repo), at.deployment);
  },
});

export const deleteRepoDeployment = endpoint({
  id: 'repos/delete-deployment',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/deployments/{deployment_id}',
  resources: [deployment],
  summary: 'Delete a deployment',
  access: writesDeployments,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, at) => deleteDeployment(scope, action, at.deployment));
  },
});

export const listDeploymentStatuses = endpoint({
  id: 'repos/list-deployment-statuses',
  method: 'GET',
  path: '/repos/{owner}/{repo}/deployments/{deployment_id}/statuses',
  resources: [deployment],
  summary: 'List deployment statuses',
  access: readsDeployments,
  paging: pages(),
  replies: { 200: Type.Array(DeploymentStatus) },
  async handle({ scope, db, at, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listStatuses(db, at.deployment.id, page), (rows) => presentStatuses(scope, urls, rows));
  },
});

export const createDeploymentStatus = endpoint({
  id: 'repos/create-deployment-status',
  method: 'POST',
  path: '/repos/{owner}/{repo}/deployments/{deployment_id}/statuses',
  resources: [deployment],
  summary: 'Create a deployment status',
  access: writesDeployments,
  body: NewDeploymentStatus,
  example: {
    state: 'success',
    target_url: '',
    log_url: 'https://ci.example/log/1',
    description: 'All hosts answer',
    environment_url: 'https://staging.example',
    auto_inactive: true,
  },
  replies: { 201: DeploymentStatus },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope, { deployment }) => createStatus(scope, action, deployment, body));
    return presentStatus(scope, repositoryUrlsOf(links, at.repo), row);
  },
});

export const getDeploymentStatus = endpoint({
  id: 'repos/get-deployment-status',
  method: 'GET',
  path: '/repos/{owner}/{repo}/deployments/{deployment_id}/statuses/{status_id}',
  resources: [deploymentStatus],
  summary: 'Get a deployment status',
  access: readsDeployments,
  replies: { 200: DeploymentStatus },
  async handle({ scope, at, links }) {
    return presentStatus(scope, repositoryUrlsOf(links, at.repo), at.status);
  },
});
