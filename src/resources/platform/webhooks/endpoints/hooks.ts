// Webhooks of an organization (document 2) and of a repository (the public API's).

import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { hookAction, ownerPayload, parentOf, visibleAuthors } from '../hook-owner.ts';
import { webhookLimits } from '../limits.ts';
import { orgHook, repoHook } from '../path-resources.ts';
import { ping } from '../pings.ts';
import { presentConfig, presentHook, presentHooks } from '../present.ts';
import { countRequested } from '../quota.ts';
import { changeConfig, changeHook, createHook, deleteHook } from '../rules.ts';
import {
  ConfigChange,
  NewOrgWebhook,
  NewRepoWebhook,
  OrgWebhook,
  OrgWebhookChange,
  RepoWebhook,
  RepoWebhookChange,
  WebhookConfig,
} from '../schemas.ts';
import { listHooks } from '../store.ts';
import { readsOrgHooks, readsRepoHooks, removesRepoHooks, writesOrgHooks, writesRepoHooks } from './access.ts';

const orgHooks = '/orgs/{org}/hooks';
const repoHooks = '/repos/{owner}/{repo}/hooks';
const oneOrgHook = { path: `${orgHooks}/{hook_id}`, resources: [orgHook] } as const;
const oneRepoHook = { path: `${repoHooks}/{hook_id}`, resources: [repoHook] } as const;

export const { org: listOrgWebhooks, repo: listRepoWebhooks } = endpointVariants(
  {
    org: {
      id: 'orgs/list-webhooks',
      path: orgHooks,
      summary: 'List organization webhooks',
      access: readsOrgHooks,
      replies: { 200: Type.Array(OrgWebhook) },
    },
    repo: {
      id: 'repos/list-webhooks',
      path: repoHooks,
      summary: 'List repository webhooks',
      access: readsRepoHooks,
      replies: { 200: Type.Array(RepoWebhook) },
    },
  },
  {
    method: 'GET',
    paging: pages(),
    async handle({ scope, db, action, page }) {
      const hooks = await listHooks(db, parentOf(action), visibleAuthors(action, action.by), page);
      return mapRows(hooks, (rows) => presentHooks(scope, action, rows));
    },
  },
);

export const { org: createOrgWebhook, repo: createRepoWebhook } = endpointVariants(
  {
    org: {
      id: 'orgs/create-webhook',
      path: orgHooks,
      summary: 'Create an organization webhook',
      access: writesOrgHooks,
      body: NewOrgWebhook,
      replies: { 201: OrgWebhook },
    },
    repo: {
      id: 'repos/create-webhook',
      path: repoHooks,
      summary: 'Create a repository webhook',
      access: writesRepoHooks,
      body: NewRepoWebhook,
      replies: { 201: RepoWebhook },
    },
  },
  {
    method: 'POST',
    example: {
      name: 'web',
      config: { url: 'https://ci.example/hook', content_type: 'json' },
      events: ['push'],
      active: true,
    },
    async handle({ scope, change, body, action, links, now, services }) {
      const owner = await ownerPayload(scope, action);
      return change(async (scope) => {
        const hook = await createHook(scope, hookAction(action, services), body, links.html);
        const presented = presentHook(links, action, hook);
        await ping(scope, hook, presented, owner, now);
        return presented;
      });
    },
  },
);

export const { org: getOrgWebhook, repo: getRepoWebhook } = endpointVariants(
  {
    org: {
      ...oneOrgHook,
      id: 'orgs/get-webhook',
      summary: 'Get an organization webhook',
      access: readsOrgHooks,
      replies: { 200: OrgWebhook },
    },
    repo: {
      ...oneRepoHook,
      id: 'repos/get-webhook',
      summary: 'Get a repository webhook',
      access: readsRepoHooks,
      replies: { 200: RepoWebhook },
    },
  },
  {
    method: 'GET',
    async handle({ scope, at, action }) {
      return firstOrNotFound(await presentHooks(scope, action, [at.hook]));
    },
  },
);

export const { org: updateOrgWebhook, repo: updateRepoWebhook } = endpointVariants(
  {
    org: {
      ...oneOrgHook,
      id: 'orgs/update-webhook',
      summary: 'Update an organization webhook',
      access: writesOrgHooks,
      body: OrgWebhookChange,
      replies: { 200: OrgWebhook },
    },
    repo: {
      ...oneRepoHook,
      id: 'repos/update-webhook',
      summary: 'Update a repository webhook',
      access: writesRepoHooks,
      body: RepoWebhookChange,
      replies: { 200: RepoWebhook },
    },
  },
  {
    method: 'PATCH',
    example: { active: true, events: ['push', 'issues'] },
    async handle({ scope, change, body, action, services }) {
      const changed = await change((scope, { hook }) => changeHook(scope, hookAction(action, services), hook, body));
      return firstOrNotFound(await presentHooks(scope, action, [changed]));
    },
  },
);

export const { org: deleteOrgWebhook, repo: deleteRepoWebhook } = endpointVariants(
  {
    org: { ...oneOrgHook, id: 'orgs/delete-webhook', summary: 'Delete an organization webhook', access: writesOrgHooks },
    repo: { ...oneRepoHook, id: 'repos/delete-webhook', summary: 'Delete a repository webhook', access: removesRepoHooks },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ scope, change, action, links, services }) {
      const about = await ownerPayload(scope, action);
      await change((scope, { hook }) =>
        deleteHook(scope, hookAction(action, services), hook, { presented: presentHook(links, action, hook), about }),
      );
    },
  },
);

export const { org: getOrgWebhookConfig, repo: getRepoWebhookConfig } = endpointVariants(
  {
    org: {
      path: `${oneOrgHook.path}/config`,
      resources: [orgHook],
      id: 'orgs/get-webhook-config-for-org',
      summary: 'Get a webhook configuration for an organization',
      access: readsOrgHooks,
    },
    repo: {
      path: `${oneRepoHook.path}/config`,
      resources: [repoHook],
      id: 'repos/get-webhook-config-for-repo',
      summary: 'Get a webhook configuration for a repository',
      access: readsRepoHooks,
    },
  },
  {
    method: 'GET',
    replies: { 200: WebhookConfig },
    async handle({ at }) {
      return presentConfig(at.hook);
    },
  },
);

export const { org: updateOrgWebhookConfig, repo: updateRepoWebhookConfig } = endpointVariants(
  {
    org: {
      path: `${oneOrgHook.path}/config`,
      resources: [orgHook],
      id: 'orgs/update-webhook-config-for-org',
      summary: 'Update a webhook configuration for an organization',
      access: writesOrgHooks,
    },
    repo: {
      path: `${oneRepoHook.path}/config`,
      resources: [repoHook],
      id: 'repos/update-webhook-config-for-repo',
      summary: 'Update a webhook configuration for a repository',
      access: writesRepoHooks,
    },
  },
  {
    method: 'PATCH',
    body: ConfigChange,
    example: { content_type: 'json' },
    replies: { 200: WebhookConfig },
    async handle({ change, body, action, services }) {
      return presentConfig(await change((scope, { hook }) => changeConfig(scope, hookAction(action, services), hook, body)));
    },
  },
);

export const { org: pingOrgWebhook, repo: pingRepoWebhook } = endpointVariants(
  {
    org: {
      path: `${oneOrgHook.path}/pings`,
      resources: [orgHook],
      id: 'orgs/ping-webhook',
      summary: 'Ping an organization webhook',
      access: writesOrgHooks,
    },
    repo: {
      path: `${oneRepoHook.path}/pings`,
      resources: [repoHook],
      id: 'repos/ping-webhook',
      summary: 'Ping a repository webhook',
      access: writesRepoHooks,
    },
  },
  {
    method: 'POST',
    replies: { 204: Nothing },
    async handle({ scope, change, action, links, now, services }) {
      const owner = await ownerPayload(scope, action);
      await change(async (scope, { hook }) => {
        await countRequested(scope, hook, { limits: services.resourceLimits.of(webhookLimits), cost: 1 });
        await ping(scope, hook, presentHook(links, action, hook), owner, now);
      });
    },
  },
);
