// Webhooks of an organization (document 2).
import { Type } from 'typebox';
import { everyToken } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { cursors, pages } from '#endpoint/paging.ts';
import { existing } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { deliveriesOf } from '../deliveries.ts';
import { aboutPlace, holdHookAt, hookAt, makersFor, parentOf, redeliver, stepOf } from '../here.ts';
import { ping } from '../pings.ts';
import { presentConfig, presentDelivery, presentOrgWebhook } from '../present.ts';
import { changeConfig, changeHook, createHook, deleteHook } from '../rules.ts';
import {
  ConfigChange,
  Delivery,
  DeliveryItem,
  DeliveryQuery,
  NewOrgWebhook,
  OrgWebhook,
  OrgWebhookChange,
  WebhookConfig,
} from '../schemas.ts';
import { findDelivery, listHooks } from '../store.ts';

const hooks = { scopes: ['admin:org_hook'], tokens: everyToken, role: 'owner' } as const;
const reads = { ...hooks, permission: 'organization_webhooks:read' } as const;
const writes = { ...hooks, permission: 'organization_webhooks:write' } as const;

export const listOrgWebhooks = endpoint({
  id: 'orgs/list-webhooks',
  method: 'GET',
  path: '/orgs/{org}/hooks',
  summary: 'List organization webhooks',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(OrgWebhook) },
  async handle({ db, at, viewer, page, links }) {
    const found = await listHooks(db, parentOf(at), makersFor(at, viewer), page);
    return mapRows(found, (rows) => rows.map((row) => presentOrgWebhook(links, at.org, row)));
  },
});

export const createOrgWebhook = endpoint({
  id: 'orgs/create-webhook',
  method: 'POST',
  path: '/orgs/{org}/hooks',
  summary: 'Create an organization webhook',
  access: writes,
  body: NewOrgWebhook,
  example: { name: 'web', config: { url: 'https://ci.example/hook', content_type: 'json' }, events: ['push'], active: true },
  replies: { 201: OrgWebhook },
  async handle({ db, change, at, body, viewer, links, now, services }) {
    const about = await aboutPlace({ db, links }, at, viewer);
    return change(async (tx) => {
      const hook = await createHook(tx, stepOf({ at, viewer, now, services }), body, links.html);
      const presented = presentOrgWebhook(links, at.org, hook);
      await ping(tx, hook, presented, about, now);
      return presented;
    });
  },
});

export const getOrgWebhook = endpoint({
  id: 'orgs/get-webhook',
  method: 'GET',
  path: '/orgs/{org}/hooks/{hook_id}',
  summary: 'Get an organization webhook',
  access: reads,
  replies: { 200: OrgWebhook },
  async handle({ db, at, viewer, links }) {
    return presentOrgWebhook(links, at.org, await hookAt({ db, at, viewer }));
  },
});

export const updateOrgWebhook = endpoint({
  id: 'orgs/update-webhook',
  method: 'PATCH',
  path: '/orgs/{org}/hooks/{hook_id}',
  summary: 'Update an organization webhook',
  access: writes,
  body: OrgWebhookChange,
  example: { events: ['push', 'issues'], active: true },
  replies: { 200: OrgWebhook },
  async handle({ change, at, body, viewer, links, now, services }) {
    const changed = await change(async (tx) =>
      changeHook(tx, stepOf({ at, viewer, now, services }), await holdHookAt({ tx, at, viewer }), body),
    );
    return presentOrgWebhook(links, at.org, changed);
  },
});

export const deleteOrgWebhook = endpoint({
  id: 'orgs/delete-webhook',
  method: 'DELETE',
  path: '/orgs/{org}/hooks/{hook_id}',
  summary: 'Delete an organization webhook',
  access: writes,
  replies: { 204: Nothing },
  async handle({ db, change, at, viewer, links, now, services }) {
    const about = await aboutPlace({ db, links }, at, viewer);
    await change(async (tx) => {
      const hook = await holdHookAt({ tx, at, viewer });
      const presented = presentOrgWebhook(links, at.org, hook);
      await deleteHook(tx, stepOf({ at, viewer, now, services }), hook, { presented, about });
    });
  },
});

export const getOrgWebhookConfig = endpoint({
  id: 'orgs/get-webhook-config-for-org',
  method: 'GET',
  path: '/orgs/{org}/hooks/{hook_id}/config',
  summary: 'Get a webhook configuration for an organization',
  access: reads,
  replies: { 200: WebhookConfig },
  async handle({ db, at, viewer }) {
    return presentConfig(await hookAt({ db, at, viewer }));
  },
});

export const updateOrgWebhookConfig = endpoint({
  id: 'orgs/update-webhook-config-for-org',
  method: 'PATCH',
  path: '/orgs/{org}/hooks/{hook_id}/config',
  summary: 'Update a webhook configuration for an organization',
  access: writes,
  body: ConfigChange,
  example: { content_type: 'json' },
  replies: { 200: WebhookConfig },
  async handle({ change, at, body, viewer, now, services }) {
    const changed = await change(async (tx) =>
      changeConfig(tx, stepOf({ at, viewer, now, services }), await holdHookAt({ tx, at, viewer }), body),
    );
    return presentConfig(changed);
  },
});

export const listOrgWebhookDeliveries = endpoint({
  id: 'orgs/list-webhook-deliveries',
  method: 'GET',
  path: '/orgs/{org}/hooks/{hook_id}/deliveries',
  summary: 'List deliveries for an organization webhook',
  access: reads,
  query: DeliveryQuery,
  paging: cursors(),
  replies: { 200: Type.Array(DeliveryItem) },
  async handle({ db, at, query, viewer, page }) {
    return deliveriesOf(db, await hookAt({ db, at, viewer }), { page, status: query.status });
  },
});

export const getOrgWebhookDelivery = endpoint({
  id: 'orgs/get-webhook-delivery',
  method: 'GET',
  path: '/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}',
  summary: 'Get a webhook delivery for an organization webhook',
  access: reads,
  replies: { 200: Delivery },
  async handle({ db, at, viewer }) {
    const hook = await hookAt({ db, at, viewer });
    return presentDelivery(hook, existing(await findDelivery(db, hook.id, at.delivery_id)));
  },
});

export const redeliverOrgWebhookDelivery = endpoint({
  id: 'orgs/redeliver-webhook-delivery',
  method: 'POST',
  path: '/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  summary: 'Redeliver a delivery for an organization webhook',
  access: writes,
  replies: { 202: Type.Object({}) },
  handle: ({ db, change, at, viewer, now }) => redeliver({ db, change, at, viewer, now }),
});

export const pingOrgWebhook = endpoint({
  id: 'orgs/ping-webhook',
  method: 'POST',
  path: '/orgs/{org}/hooks/{hook_id}/pings',
  summary: 'Ping an organization webhook',
  access: writes,
  replies: { 204: Nothing },
  async handle({ db, change, at, viewer, links, now }) {
    const hook = await hookAt({ db, at, viewer });
    const about = await aboutPlace({ db, links }, at, viewer);
    await change((tx) => ping(tx, hook, presentOrgWebhook(links, at.org, hook), about, now));
  },
});
