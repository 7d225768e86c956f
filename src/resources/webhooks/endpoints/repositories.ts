// Webhooks of a repository (the public API's).
import { Type } from 'typebox';
import type { RepositoryAction } from '#access/action.ts';
import { everyToken } from '#access/tokens.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { gather } from '#lib/collections.ts';
import { repoDelivery, repoHook } from '../path-resources.ts';
import { presentRepoWebhook } from '../present.ts';
import { NewRepoWebhook, RepoWebhook, RepoWebhookChange } from '../schemas.ts';
import { loadLastResponses } from '../store.ts';
import { webhookEndpoints } from './shared.ts';

const hooks = { tokens: everyToken, role: 'admin' } as const;
const reads = { ...hooks, permission: 'repository_webhooks:read', scopes: ['repo', 'read:repo_hook'] } as const;
const writes = { ...hooks, permission: 'repository_webhooks:write', scopes: ['repo', 'write:repo_hook'] } as const;
const removes = { ...writes, scopes: ['repo', 'admin:repo_hook'] } as const;

const ofRepo = webhookEndpoints<RepositoryAction, RepoWebhook>({
  alone: (links, { repo }, hook) => presentRepoWebhook(links, repo, hook, undefined),
  async all({ db, links }, { repo }, rows) {
    const last = await loadLastResponses(db, gather(rows, 'id'));
    return rows.map((row) => presentRepoWebhook(links, repo, row, last.get(row.id)));
  },
});

export const listRepoWebhooks = endpoint({
  ...ofRepo.list,
  id: 'repos/list-webhooks',
  path: '/repos/{owner}/{repo}/hooks',
  summary: 'List repository webhooks',
  access: reads,
  replies: { 200: Type.Array(RepoWebhook) },
});

export const createRepoWebhook = endpoint({
  ...ofRepo.create,
  id: 'repos/create-webhook',
  path: '/repos/{owner}/{repo}/hooks',
  summary: 'Create a repository webhook',
  access: writes,
  body: NewRepoWebhook,
  replies: { 201: RepoWebhook },
});

export const getRepoWebhook = endpoint({
  ...ofRepo.get,
  id: 'repos/get-webhook',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}',
  resources: [repoHook],
  summary: 'Get a repository webhook',
  access: reads,
  replies: { 200: RepoWebhook },
});

export const updateRepoWebhook = endpoint({
  ...ofRepo.update,
  id: 'repos/update-webhook',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}',
  resources: [repoHook],
  summary: 'Update a repository webhook',
  access: writes,
  body: RepoWebhookChange,
  replies: { 200: RepoWebhook },
});

export const deleteRepoWebhook = endpoint({
  ...ofRepo.delete,
  id: 'repos/delete-webhook',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}',
  resources: [repoHook],
  summary: 'Delete a repository webhook',
  access: removes,
});

export const getRepoWebhookConfig = endpoint({
  ...ofRepo.getConfig,
  id: 'repos/get-webhook-config-for-repo',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/config',
  resources: [repoHook],
  summary: 'Get a webhook configuration for a repository',
  access: reads,
});

export const updateRepoWebhookConfig = endpoint({
  ...ofRepo.updateConfig,
  id: 'repos/update-webhook-config-for-repo',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/config',
  resources: [repoHook],
  summary: 'Update a webhook configuration for a repository',
  access: writes,
});

export const listRepoWebhookDeliveries = endpoint({
  ...ofRepo.listDeliveries,
  id: 'repos/list-webhook-deliveries',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries',
  resources: [repoHook],
  summary: 'List deliveries for a repository webhook',
  access: reads,
});

export const getRepoWebhookDelivery = endpoint({
  ...ofRepo.getDelivery,
  id: 'repos/get-webhook-delivery',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}',
  resources: [repoDelivery],
  summary: 'Get a webhook delivery for a repository webhook',
  access: reads,
});

export const redeliverRepoWebhookDelivery = endpoint({
  ...ofRepo.redeliver,
  id: 'repos/redeliver-webhook-delivery',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  resources: [repoDelivery],
  summary: 'Redeliver a delivery for a repository webhook',
  access: writes,
});

export const pingRepoWebhook = endpoint({
  ...ofRepo.ping,
  id: 'repos/ping-webhook',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/pings',
  resources: [repoHook],
  summary: 'Ping a repository webhook',
  access: writes,
});
