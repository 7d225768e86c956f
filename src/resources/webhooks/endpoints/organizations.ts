// Webhooks of an organization (document 2).
import { Type } from 'typebox';
import type { OrganizationAction } from '#access/action.ts';
import { everyToken } from '#access/tokens.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { orgDelivery, orgHook } from '../path-resources.ts';
import { presentOrgWebhook } from '../present.ts';
import { NewOrgWebhook, OrgWebhook, OrgWebhookChange } from '../schemas.ts';
import { webhookEndpoints } from './shared.ts';

const hooks = { scopes: ['admin:org_hook'], tokens: everyToken, role: 'owner' } as const;
const reads = { ...hooks, permission: 'organization_webhooks:read' } as const;
const writes = { ...hooks, permission: 'organization_webhooks:write' } as const;

const ofOrg = webhookEndpoints<OrganizationAction, OrgWebhook>({
  alone: (links, { org }, hook) => presentOrgWebhook(links, org, hook),
  all: ({ links }, { org }, rows) => rows.map((row) => presentOrgWebhook(links, org, row)),
});

export const listOrgWebhooks = endpoint({
  ...ofOrg.list,
  id: 'orgs/list-webhooks',
  path: '/orgs/{org}/hooks',
  summary: 'List organization webhooks',
  access: reads,
  replies: { 200: Type.Array(OrgWebhook) },
});

export const createOrgWebhook = endpoint({
  ...ofOrg.create,
  id: 'orgs/create-webhook',
  path: '/orgs/{org}/hooks',
  summary: 'Create an organization webhook',
  access: writes,
  body: NewOrgWebhook,
  replies: { 201: OrgWebhook },
});

export const getOrgWebhook = endpoint({
  ...ofOrg.get,
  id: 'orgs/get-webhook',
  path: '/orgs/{org}/hooks/{hook_id}',
  resources: [orgHook],
  summary: 'Get an organization webhook',
  access: reads,
  replies: { 200: OrgWebhook },
});

export const updateOrgWebhook = endpoint({
  ...ofOrg.update,
  id: 'orgs/update-webhook',
  path: '/orgs/{org}/hooks/{hook_id}',
  resources: [orgHook],
  summary: 'Update an organization webhook',
  access: writes,
  body: OrgWebhookChange,
  replies: { 200: OrgWebhook },
});

export const deleteOrgWebhook = endpoint({
  ...ofOrg.delete,
  id: 'orgs/delete-webhook',
  path: '/orgs/{org}/hooks/{hook_id}',
  resources: [orgHook],
  summary: 'Delete an organization webhook',
  access: writes,
});

export const getOrgWebhookConfig = endpoint({
  ...ofOrg.getConfig,
  id: 'orgs/get-webhook-config-for-org',
  path: '/orgs/{org}/hooks/{hook_id}/config',
  resources: [orgHook],
  summary: 'Get a webhook configuration for an organization',
  access: reads,
});

export const updateOrgWebhookConfig = endpoint({
  ...ofOrg.updateConfig,
  id: 'orgs/update-webhook-config-for-org',
  path: '/orgs/{org}/hooks/{hook_id}/config',
  resources: [orgHook],
  summary: 'Update a webhook configuration for an organization',
  access: writes,
});

export const listOrgWebhookDeliveries = endpoint({
  ...ofOrg.listDeliveries,
  id: 'orgs/list-webhook-deliveries',
  path: '/orgs/{org}/hooks/{hook_id}/deliveries',
  resources: [orgHook],
  summary: 'List deliveries for an organization webhook',
  access: reads,
});

export const getOrgWebhookDelivery = endpoint({
  ...ofOrg.getDelivery,
  id: 'orgs/get-webhook-delivery',
  path: '/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}',
  resources: [orgDelivery],
  summary: 'Get a webhook delivery for an organization webhook',
  access: reads,
});

export const redeliverOrgWebhookDelivery = endpoint({
  ...ofOrg.redeliver,
  id: 'orgs/redeliver-webhook-delivery',
  path: '/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  resources: [orgDelivery],
  summary: 'Redeliver a delivery for an organization webhook',
  access: writes,
});

export const pingOrgWebhook = endpoint({
  ...ofOrg.ping,
  id: 'orgs/ping-webhook',
  path: '/orgs/{org}/hooks/{hook_id}/pings',
  resources: [orgHook],
  summary: 'Ping an organization webhook',
  access: writes,
});
