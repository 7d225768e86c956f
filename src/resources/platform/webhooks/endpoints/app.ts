// The webhook of an app, for the app itself with its JSON web token (the public API's).
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { cursors } from '#endpoint/paging.ts';
import { changeAppConfig } from '../app-config.ts';
import { deliveriesOf } from '../deliveries.ts';
import { presentConfig } from '../present.ts';
import { AppWebhookConfig, ConfigChange, DeliveryItem, DeliveryQuery } from '../schemas.ts';
import { findAppHook } from '../store.ts';
import { asApp } from './access.ts';

export const getAppWebhookConfig = endpoint({
  id: 'apps/get-webhook-config-for-app',
  method: 'GET',
  path: '/app/hook/config',
  summary: 'Get a webhook configuration for an app',
  access: asApp,
  replies: { 200: AppWebhookConfig },
  async handle({ db, viewer }) {
    const hook = await findAppHook(db, viewer.grant.appId);
    return hook ? presentConfig(hook) : {};
  },
});

export const updateAppWebhookConfig = endpoint({
  id: 'apps/update-webhook-config-for-app',
  method: 'PATCH',
  path: '/app/hook/config',
  summary: 'Update a webhook configuration for an app',
  access: asApp,
  body: ConfigChange,
  example: { content_type: 'json' },
  replies: { 200: AppWebhookConfig },
  async handle({ change, body, action, viewer, links, services }) {
    const acting = { ...action, app: viewer.grant.appId, baseUrl: links.html, services };
    return presentConfig(await change((scope) => changeAppConfig(scope, acting, body)));
  },
});

export const listAppWebhookDeliveries = endpoint({
  id: 'apps/list-webhook-deliveries',
  method: 'GET',
  path: '/app/hook/deliveries',
  summary: 'List deliveries for an app webhook',
  access: asApp,
  malformed: 'refused',
  query: DeliveryQuery,
  paging: cursors(),
  replies: { 200: Type.Array(DeliveryItem) },
  async handle({ db, query, viewer, page }) {
    const hook = await findAppHook(db, viewer.grant.appId);
    return hook ? deliveriesOf(db, hook, { page, status: query.status }) : { rows: [] };
  },
});
