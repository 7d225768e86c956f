// Webhooks of a repository (the public API's).
import { Type } from 'typebox';
import { everyToken } from '#access/tokens.ts';
import type { Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import type { Links } from '#endpoint/links.ts';
import { cursors, pages } from '#endpoint/paging.ts';
import { gather } from '#lib/collections.ts';
import { existing } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { deliveriesOf } from '../deliveries.ts';
import { aboutPlace, holdHookAt, hookAt, makersFor, parentOf, redeliver, stepOf } from '../here.ts';
import { ping } from '../pings.ts';
import { presentConfig, presentDelivery, presentRepoWebhook } from '../present.ts';
import { changeConfig, changeHook, createHook, deleteHook } from '../rules.ts';
import {
  ConfigChange,
  Delivery,
  DeliveryItem,
  DeliveryQuery,
  NewRepoWebhook,
  RepoWebhook,
  RepoWebhookChange,
  WebhookConfig,
} from '../schemas.ts';
import { findDelivery, type HookRow, listHooks, loadLastResponses } from '../store.ts';
import { testPush } from '../test-push.ts';

const hooks = { tokens: everyToken, role: 'admin' } as const;
const reads = { ...hooks, permission: 'repository_webhooks:read', scopes: ['repo', 'read:repo_hook'] } as const;
const writes = { ...hooks, permission: 'repository_webhooks:write', scopes: ['repo', 'write:repo_hook'] } as const;
const removes = { ...writes, scopes: ['repo', 'admin:repo_hook'] } as const;

/** Hooks of a whole page, each with the last response of its receiver. */
async function presentHooks(db: Db, links: Links, repo: Repo, rows: readonly HookRow[]): Promise<RepoWebhook[]> {
  const last = await loadLastResponses(db, gather(rows, 'id'));
  return rows.map((row) => presentRepoWebhook(links, repo, row, last.get(row.id)));
}

export const listRepoWebhooks = endpoint({
  id: 'repos/list-webhooks',
  method: 'GET',
  path: '/repos/{owner}/{repo}/hooks',
  summary: 'List repository webhooks',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(RepoWebhook) },
  async handle({ db, at, viewer, page, links }) {
    const found = await listHooks(db, parentOf(at), makersFor(at, viewer), page);
    return mapRows(found, (rows) => presentHooks(db, links, at.repo, rows));
  },
});

export const createRepoWebhook = endpoint({
  id: 'repos/create-webhook',
  method: 'POST',
  path: '/repos/{owner}/{repo}/hooks',
  summary: 'Create a repository webhook',
  access: writes,
  body: NewRepoWebhook,
  example: { name: 'web', config: { url: 'https://ci.example/hook', content_type: 'json' }, events: ['push'], active: true },
  replies: { 201: RepoWebhook },
  async handle({ db, change, at, body, viewer, links, now, services }) {
    const about = await aboutPlace({ db, links }, at, viewer);
    return change(async (tx) => {
      const hook = await createHook(tx, stepOf({ at, viewer, now, services }), body, links.html);
      const presented = presentRepoWebhook(links, at.repo, hook, undefined);
      await ping(tx, hook, presented, about, now);
      return presented;
    });
  },
});

export const getRepoWebhook = endpoint({
  id: 'repos/get-webhook',
  method: 'GET',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}',
  summary: 'Get a repository webhook',
  access: reads,
  replies: { 200: RepoWebhook },
  async handle({ db, at, viewer, links }) {
    const hook = await hookAt({ db, at, viewer });
    return presentRepoWebhook(links, at.repo, hook, (await loadLastResponses(db, [hook.id])).get(hook.id));
  },
});

export const updateRepoWebhook = endpoint({
  id: 'repos/update-webhook',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}',
  summary: 'Update a repository webhook',
  access: writes,
  body: RepoWebhookChange,
  example: { events: ['push', 'issues'], active: true },
  replies: { 200: RepoWebhook },
  async handle({ db, change, at, body, viewer, links, now, services }) {
    const changed = await change(async (tx) =>
      changeHook(tx, stepOf({ at, viewer, now, services }), await holdHookAt({ tx, at, viewer }), body),
    );
    return presentRepoWebhook(links, at.repo, changed, (await loadLastResponses(db, [changed.id])).get(changed.id));
  },
});

export const deleteRepoWebhook = endpoint({
  id: 'repos/delete-webhook',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}',
  summary: 'Delete a repository webhook',
  access: removes,
  replies: { 204: Nothing },
  async handle({ db, change, at, viewer, links, now, services }) {
    const about = await aboutPlace({ db, links }, at, viewer);
    await change(async (tx) => {
      const hook = await holdHookAt({ tx, at, viewer });
      const presented = presentRepoWebhook(links, at.repo, hook, undefined);
      await deleteHook(tx, stepOf({ at, viewer, now, services }), hook, { presented, about });
    });
  },
});

export const getRepoWebhookConfig = endpoint({
  id: 'repos/get-webhook-config-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/config',
  summary: 'Get a webhook configuration for a repository',
  access: reads,
  replies: { 200: WebhookConfig },
  async handle({ db, at, viewer }) {
    return presentConfig(await hookAt({ db, at, viewer }));
  },
});

export const updateRepoWebhookConfig = endpoint({
  id: 'repos/update-webhook-config-for-repo',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/config',
  summary: 'Update a webhook configuration for a repository',
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

export const listRepoWebhookDeliveries = endpoint({
  id: 'repos/list-webhook-deliveries',
  method: 'GET',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries',
  summary: 'List deliveries for a repository webhook',
  access: reads,
  query: DeliveryQuery,
  paging: cursors(),
  replies: { 200: Type.Array(DeliveryItem) },
  async handle({ db, at, query, viewer, page }) {
    return deliveriesOf(db, await hookAt({ db, at, viewer }), { page, status: query.status });
  },
});

export const getRepoWebhookDelivery = endpoint({
  id: 'repos/get-webhook-delivery',
  method: 'GET',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}',
  summary: 'Get a webhook delivery for a repository webhook',
  access: reads,
  replies: { 200: Delivery },
  async handle({ db, at, viewer }) {
    const hook = await hookAt({ db, at, viewer });
    return presentDelivery(hook, existing(await findDelivery(db, hook.id, at.delivery_id)));
  },
});

export const redeliverRepoWebhookDelivery = endpoint({
  id: 'repos/redeliver-webhook-delivery',
  method: 'POST',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  summary: 'Redeliver a delivery for a repository webhook',
  access: writes,
  replies: { 202: Type.Object({}) },
  handle: ({ db, change, at, viewer, now }) => redeliver({ db, change, at, viewer, now }),
});

export const pingRepoWebhook = endpoint({
  id: 'repos/ping-webhook',
  method: 'POST',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/pings',
  summary: 'Ping a repository webhook',
  access: writes,
  replies: { 204: Nothing },
  async handle({ db, change, at, viewer, links, now }) {
    const hook = await hookAt({ db, at, viewer });
    const about = await aboutPlace({ db, links }, at, viewer);
    await change((tx) => ping(tx, hook, presentRepoWebhook(links, at.repo, hook, undefined), about, now));
  },
});

export const testRepoWebhook = endpoint({
  id: 'repos/test-push-webhook',
  method: 'POST',
  path: '/repos/{owner}/{repo}/hooks/{hook_id}/tests',
  summary: 'Test the push repository webhook',
  access: writes,
  replies: { 204: Nothing },
  async handle({ db, change, at, viewer, links, now, services }) {
    const hook = await hookAt({ db, at, viewer });
    await testPush({ db, change, links, now, services }, hook, at.repo.id);
  },
});
