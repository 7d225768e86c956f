// What the endpoints of organizations' and of repositories' webhooks have in common: all but their names, paths, guards and replies.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import type { SharedCall } from '#endpoint/call.ts';
import type { Context } from '#endpoint/context.ts';
import type { Links } from '#endpoint/links.ts';
import { cursors, pages } from '#endpoint/paging.ts';
import type { Id } from '#lib/id.ts';
import { firstOrNotFound, orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { deliveriesOf, redeliver } from '../deliveries.ts';
import { findHookForUpdate, getHook, type HookOwner, hookAction, ownerPayload, parentOf, visibleAuthors } from '../hook-owner.ts';
import { ping } from '../pings.ts';
import { presentConfig, presentDelivery } from '../present.ts';
import { countRequested } from '../quota.ts';
import { changeConfig, changeHook, createHook, deleteHook } from '../rules.ts';
import {
  ConfigChange,
  Delivery,
  DeliveryItem,
  DeliveryQuery,
  type NewWebhook,
  type WebhookChange,
  WebhookConfig,
} from '../schemas.ts';
import { findDelivery, type HookRow, listHooks } from '../store.ts';

/** A call about the hooks of an organization or a repository. */
type HookCall<Where extends HookOwner> = SharedCall<{ action: Where }>;
/** A call about one of them. */
type OneHookCall<Where extends HookOwner> = HookCall<Where> & { readonly at: { hook_id: Id<'webhooks'> } };
type OneDeliveryCall<Where extends HookOwner> = OneHookCall<Where> & { readonly at: { delivery_id: Id<'webhook_deliveries'> } };

type Shown<Where extends HookOwner, Webhook extends object> = {
  /** A hook as deliveries show it: without the last response of its receiver. */
  alone: (links: Links, place: Where, hook: HookRow) => Webhook;
  /** Hooks of a whole page. */
  all: (context: Context, place: Where, rows: readonly HookRow[]) => Webhook[] | Promise<Webhook[]>;
};

const example: NewWebhook = {
  name: 'web',
  config: { url: 'https://ci.example/hook', content_type: 'json' },
  events: ['push'],
  active: true,
};
const changeExample: Pick<WebhookChange, 'events' | 'active'> = { events: ['push', 'issues'], active: true };

/** The declarations of the endpoints, each to be completed by its id, path, summary, access and what of its schemas differs. */
export const webhookEndpoints = <Where extends HookOwner, Webhook extends object>({ alone, all }: Shown<Where, Webhook>) =>
  ({
    list: {
      method: 'GET',
      paging: pages(),
      async handle({ db, action, page, links }: HookCall<Where>) {
        const found = await listHooks(db, parentOf(action), visibleAuthors(action), page);
        return mapRows(found, (rows) => all({ db, links }, action, rows));
      },
    },
    create: {
      method: 'POST',
      example,
      async handle({ db, change, body, action, links, now, services }: HookCall<Where> & { body: NewWebhook }) {
        const about = await ownerPayload({ db, links }, action);
        return change(async (tx) => {
          const hook = await createHook(tx, hookAction(action, services), body, links.html);
          const presented = alone(links, action, hook);
          await ping(tx, hook, presented, about, now);
          return presented;
        });
      },
    },
    get: {
      method: 'GET',
      async handle({ db, at, action, links }: OneHookCall<Where>) {
        return firstOrNotFound(await all({ db, links }, action, [await getHook(db, action, at.hook_id)]));
      },
    },
    update: {
      method: 'PATCH',
      example: changeExample,
      async handle({ db, change, at, body, action, links, services }: OneHookCall<Where> & { body: WebhookChange }) {
        const changed = await change(async (tx) =>
          changeHook(tx, hookAction(action, services), await findHookForUpdate(tx, action, at.hook_id), body),
        );
        return firstOrNotFound(await all({ db, links }, action, [changed]));
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ db, change, at, action, links, services }: OneHookCall<Where>) {
        const about = await ownerPayload({ db, links }, action);
        await change(async (tx) => {
          const hook = await findHookForUpdate(tx, action, at.hook_id);
          await deleteHook(tx, hookAction(action, services), hook, { presented: alone(links, action, hook), about });
        });
      },
    },
    getConfig: {
      method: 'GET',
      replies: { 200: WebhookConfig },
      async handle({ db, at, action }: OneHookCall<Where>) {
        return presentConfig(await getHook(db, action, at.hook_id));
      },
    },
    updateConfig: {
      method: 'PATCH',
      body: ConfigChange,
      example: { content_type: 'json' },
      replies: { 200: WebhookConfig },
      async handle({ change, at, body, action, services }: OneHookCall<Where> & { body: ConfigChange }) {
        const changed = await change(async (tx) =>
          changeConfig(tx, hookAction(action, services), await findHookForUpdate(tx, action, at.hook_id), body),
        );
        return presentConfig(changed);
      },
    },
    listDeliveries: {
      method: 'GET',
      query: DeliveryQuery,
      paging: cursors(),
      replies: { 200: Type.Array(DeliveryItem) },
      async handle({ db, at, query, action, page }: OneHookCall<Where> & { query: DeliveryQuery }) {
        return deliveriesOf(db, await getHook(db, action, at.hook_id), { page, status: query.status });
      },
    },
    getDelivery: {
      method: 'GET',
      replies: { 200: Delivery },
      async handle({ db, at, action }: OneDeliveryCall<Where>) {
        const hook = await getHook(db, action, at.hook_id);
        return presentDelivery(hook, orNotFound(await findDelivery(db, hook.id, at.delivery_id)));
      },
    },
    redeliver: {
      method: 'POST',
      replies: { 202: Type.Object({}) },
      async handle({ change, db, at, action, now, services }: OneDeliveryCall<Where>) {
        const hook = await getHook(db, action, at.hook_id);
        await redeliver({ db, change, now, services }, hook, at.delivery_id);
        return {};
      },
    },
    ping: {
      method: 'POST',
      replies: { 204: Nothing },
      async handle({ db, change, at, action, links, now, services }: OneHookCall<Where>) {
        const hook = await getHook(db, action, at.hook_id);
        const about = await ownerPayload({ db, links }, action);
        await change(async (tx) => {
          await countRequested(tx, hook, { limits: services.resourceLimits.webhooks, cost: 1 });
          await ping(tx, hook, alone(links, action, hook), about, now);
        });
      },
    },
  }) as const;
