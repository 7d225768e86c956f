// Deliveries of a webhook of an organization, a repository or an app.

import { Type } from 'typebox';
import { cursors } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { orNotFound } from '#lib/refusal.ts';
import { deliveriesOf, redeliver } from '../deliveries.ts';
import { webhookLimits } from '../limits.ts';
import { appDelivery, orgDelivery, orgHook, repoDelivery, repoHook } from '../path-resources.ts';
import { presentDelivery } from '../present.ts';
import { Delivery, DeliveryItem, DeliveryQuery } from '../schemas.ts';
import { findPayload } from '../store.ts';
import { asApp, readsOrgHooks, readsRepoHooks, writesOrgHooks, writesRepoHooks } from './access.ts';

const orgDeliveries = '/orgs/{org}/hooks/{hook_id}/deliveries';
const repoDeliveries = '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries';

export const { org: listOrgWebhookDeliveries, repo: listRepoWebhookDeliveries } = endpointVariants(
  {
    org: {
      id: 'orgs/list-webhook-deliveries',
      path: orgDeliveries,
      resources: [orgHook],
      summary: 'List deliveries for an organization webhook',
      access: readsOrgHooks,
    },
    repo: {
      id: 'repos/list-webhook-deliveries',
      path: repoDeliveries,
      resources: [repoHook],
      summary: 'List deliveries for a repository webhook',
      access: readsRepoHooks,
    },
  },
  {
    method: 'GET',
    malformed: 'refused',
    query: DeliveryQuery,
    paging: cursors(),
    replies: { 200: Type.Array(DeliveryItem) },
    async handle({ db, at, query, page }) {
      return deliveriesOf(db, at.hook, { page, status: query.status });
    },
  },
);

export const {
  org: getOrgWebhookDelivery,
  repo: getRepoWebhookDelivery,
  app: getAppWebhookDelivery,
} = endpointVariants(
  {
    org: {
      id: 'orgs/get-webhook-delivery',
      path: `${orgDeliveries}/{delivery_id}`,
      resources: [orgDelivery],
      summary: 'Get a webhook delivery for an organization webhook',
      access: readsOrgHooks,
      refuses: [422],
    },
    repo: {
      id: 'repos/get-webhook-delivery',
      path: `${repoDeliveries}/{delivery_id}`,
      resources: [repoDelivery],
      summary: 'Get a webhook delivery for a repository webhook',
      access: readsRepoHooks,
      refuses: [422],
    },
    app: {
      id: 'apps/get-webhook-delivery',
      path: '/app/hook/deliveries/{delivery_id}',
      resources: [appDelivery],
      summary: 'Get a delivery for an app webhook',
      access: asApp,
      refuses: [422],
    },
  },
  {
    method: 'GET',
    malformed: 'refused',
    replies: { 200: Delivery },
    async handle({ db, at: { hook, delivery } }) {
      return presentDelivery(hook, delivery, orNotFound(await findPayload(db, delivery)));
    },
  },
);

export const {
  org: redeliverOrgWebhookDelivery,
  repo: redeliverRepoWebhookDelivery,
  app: redeliverAppWebhookDelivery,
} = endpointVariants(
  {
    org: {
      id: 'orgs/redeliver-webhook-delivery',
      path: `${orgDeliveries}/{delivery_id}/attempts`,
      resources: [orgDelivery],
      summary: 'Redeliver a delivery for an organization webhook',
      access: writesOrgHooks,
      refuses: [422],
    },
    repo: {
      id: 'repos/redeliver-webhook-delivery',
      path: `${repoDeliveries}/{delivery_id}/attempts`,
      resources: [repoDelivery],
      summary: 'Redeliver a delivery for a repository webhook',
      access: writesRepoHooks,
      refuses: [422],
    },
    app: {
      id: 'apps/redeliver-webhook-delivery',
      path: '/app/hook/deliveries/{delivery_id}/attempts',
      resources: [appDelivery],
      summary: 'Redeliver a delivery for an app webhook',
      access: asApp,
      refuses: [422],
    },
  },
  {
    method: 'POST',
    malformed: 'refused',
    replies: { 202: Type.Object({}) },
    async handle({ change, at: { hook, delivery }, now, services }) {
      await change((scope) => redeliver(scope, hook, delivery, { limits: services.resourceLimits.of(webhookLimits), now }));
      return {};
    },
  },
);
