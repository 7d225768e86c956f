// What the endpoints of organizations' and of repositories' webhooks have in common: all but their names, paths, guards and replies.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import type { SharedCall } from '#endpoint/call.ts';
import type { Context } from '#endpoint/context.ts';
import type { Links } from '#endpoint/links.ts';
import { cursors, pages } from '#endpoint/paging.ts';
import type { Id } from '#lib/id.ts';
import { existing, only } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { deliveriesOf, redeliver } from '../deliveries.ts';
import { aboutPlace, getHook, holdHook, hookStep, makersFor, type Place, parentOf } from '../here.ts';
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
type Calling<Where extends Place> = SharedCall<{ step: Where }>;
/** A call about one of them. */
type Naming<Where extends Place> = Calling<Where> & { readonly at: { hook_id: Id<'webhooks'> } };
type NamingDelivery<Where extends Place> = Naming<Where> & { readonly at: { delivery_id: Id<'webhook_deliveries'> } };

type Shown<Where extends Place, Webhook extends object> = {
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
export const webhookEndpoints = <Where extends Place, Webhook extends object>({ alone, all }: Shown<Where, Webhook>) =>
  ({
    list: {
      method: 'GET',
      paging: pages(),
      async handle({ db, step, page, links }: Calling<Where>) {
        const found = await listHooks(db, parentOf(step), makersFor(step), page);
        return mapRows(found, (rows) => all({ db, links }, step, rows));
      },
    },
    create: {
      method: 'POST',
      example,
      async handle({ db, change, body, step, links, now, services }: Calling<Where> & { body: NewWebhook }) {
        const about = await aboutPlace({ db, links }, step);
        return change(async (tx) => {
          const hook = await createHook(tx, hookStep(step, services), body, links.html);
          const presented = alone(links, step, hook);
          await ping(tx, hook, presented, about, now);
          return presented;
        });
      },
    },
    get: {
      method: 'GET',
      async handle({ db, at, step, links }: Naming<Where>) {
        return only(await all({ db, links }, step, [await getHook(db, step, at.hook_id)]));
      },
    },
    update: {
      method: 'PATCH',
      example: changeExample,
      async handle({ db, change, at, body, step, links, services }: Naming<Where> & { body: WebhookChange }) {
        const changed = await change(async (tx) =>
          changeHook(tx, hookStep(step, services), await holdHook(tx, step, at.hook_id), body),
        );
        return only(await all({ db, links }, step, [changed]));
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ db, change, at, step, links, services }: Naming<Where>) {
        const about = await aboutPlace({ db, links }, step);
        await change(async (tx) => {
          const hook = await holdHook(tx, step, at.hook_id);
          await deleteHook(tx, hookStep(step, services), hook, { presented: alone(links, step, hook), about });
        });
      },
    },
    getConfig: {
      method: 'GET',
      replies: { 200: WebhookConfig },
      async handle({ db, at, step }: Naming<Where>) {
        return presentConfig(await getHook(db, step, at.hook_id));
      },
    },
    updateConfig: {
      method: 'PATCH',
      body: ConfigChange,
      example: { content_type: 'json' },
      replies: { 200: WebhookConfig },
      async handle({ change, at, body, step, services }: Naming<Where> & { body: ConfigChange }) {
        const changed = await change(async (tx) =>
          changeConfig(tx, hookStep(step, services), await holdHook(tx, step, at.hook_id), body),
        );
        return presentConfig(changed);
      },
    },
    listDeliveries: {
      method: 'GET',
      query: DeliveryQuery,
      paging: cursors(),
      replies: { 200: Type.Array(DeliveryItem) },
      async handle({ db, at, query, step, page }: Naming<Where> & { query: DeliveryQuery }) {
        return deliveriesOf(db, await getHook(db, step, at.hook_id), { page, status: query.status });
      },
    },
    getDelivery: {
      method: 'GET',
      replies: { 200: Delivery },
      async handle({ db, at, step }: NamingDelivery<Where>) {
        const hook = await getHook(db, step, at.hook_id);
        return presentDelivery(hook, existing(await findDelivery(db, hook.id, at.delivery_id)));
      },
    },
    redeliver: {
      method: 'POST',
      replies: { 202: Type.Object({}) },
      async handle({ change, db, at, step, now, services }: NamingDelivery<Where>) {
        const hook = await getHook(db, step, at.hook_id);
        await redeliver({ db, change, now, services }, hook, at.delivery_id);
        return {};
      },
    },
    ping: {
      method: 'POST',
      replies: { 204: Nothing },
      async handle({ db, change, at, step, links, now, services }: Naming<Where>) {
        const hook = await getHook(db, step, at.hook_id);
        const about = await aboutPlace({ db, links }, step);
        await change(async (tx) => {
          await countRequested(tx, hook, { limits: services.resourceLimits.webhooks, cost: 1 });
          await ping(tx, hook, alone(links, step, hook), about, now);
        });
      },
    },
  }) as const;
