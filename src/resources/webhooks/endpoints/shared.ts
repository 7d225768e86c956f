// What the endpoints of organizations' and of repositories' webhooks have in common: all but their names, paths, guards and replies.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import type { SharedCall } from '#endpoint/call.ts';
import type { Context } from '#endpoint/context.ts';
import type { Links } from '#endpoint/links.ts';
import { cursors, pages } from '#endpoint/paging.ts';
import { firstOrNotFound, orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { deliveriesOf, redeliver } from '../deliveries.ts';
import { type HookOwnerAction, hookAction, ownerPayload, parentOf, visibleAuthors } from '../hook-owner.ts';
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
import { type DoneDelivery, findPayload, type HookRow, listHooks } from '../store.ts';

/** A call about the hooks of an organization or a repository. */
type HookCall<Where extends HookOwnerAction> = SharedCall<{ action: Where }>;
type Hook = { readonly hook: HookRow };
/** A call about one of them. */
type OneHookCall<Where extends HookOwnerAction> = SharedCall<{ action: Where; at: Hook }>;
/** A call about a delivery of a hook, whoever the hook belongs to. */
type DeliveryCall = SharedCall<{ at: Hook & { readonly delivery: DoneDelivery } }>;

type Shown<Where extends HookOwnerAction, Webhook extends object> = {
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

/** The endpoints about one delivery, which are the same for the hook of an app. */
export const deliveryEndpoints = {
  getDelivery: {
    method: 'GET',
    replies: { 200: Delivery },
    async handle({ db, at: { hook, delivery } }: DeliveryCall) {
      return presentDelivery(hook, delivery, orNotFound(await findPayload(db, delivery)));
    },
  },
  redeliver: {
    method: 'POST',
    replies: { 202: Type.Object({}) },
    async handle({ change, at: { hook, delivery }, now, services }: DeliveryCall) {
      await change((tx) => redeliver(tx, hook, delivery, { limits: services.resourceLimits.webhooks, now }));
      return {};
    },
  },
} as const;

/** The declarations of the endpoints, each to be completed by its id, path, summary, access and what of its schemas differs. */
export const webhookEndpoints = <Where extends HookOwnerAction, Webhook extends object>({ alone, all }: Shown<Where, Webhook>) =>
  ({
    list: {
      method: 'GET',
      paging: pages(),
      async handle({ db, action, page, links }: HookCall<Where>) {
        const found = await listHooks(db, parentOf(action), visibleAuthors(action, action.by), page);
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
        return firstOrNotFound(await all({ db, links }, action, [at.hook]));
      },
    },
    update: {
      method: 'PATCH',
      example: changeExample,
      async handle({ db, change, body, action, links, services }: OneHookCall<Where> & { body: WebhookChange }) {
        const changed = await change((tx, { hook }) => changeHook(tx, hookAction(action, services), hook, body));
        return firstOrNotFound(await all({ db, links }, action, [changed]));
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ db, change, action, links, services }: OneHookCall<Where>) {
        const about = await ownerPayload({ db, links }, action);
        await change((tx, { hook }) =>
          deleteHook(tx, hookAction(action, services), hook, { presented: alone(links, action, hook), about }),
        );
      },
    },
    getConfig: {
      method: 'GET',
      replies: { 200: WebhookConfig },
      async handle({ at }: OneHookCall<Where>) {
        return presentConfig(at.hook);
      },
    },
    updateConfig: {
      method: 'PATCH',
      body: ConfigChange,
      example: { content_type: 'json' },
      replies: { 200: WebhookConfig },
      async handle({ change, body, action, services }: OneHookCall<Where> & { body: ConfigChange }) {
        return presentConfig(await change((tx, { hook }) => changeConfig(tx, hookAction(action, services), hook, body)));
      },
    },
    listDeliveries: {
      method: 'GET',
      query: DeliveryQuery,
      paging: cursors(),
      replies: { 200: Type.Array(DeliveryItem) },
      async handle({ db, at, query, page }: OneHookCall<Where> & { query: DeliveryQuery }) {
        return deliveriesOf(db, at.hook, { page, status: query.status });
      },
    },
    ...deliveryEndpoints,
    ping: {
      method: 'POST',
      replies: { 204: Nothing },
      async handle({ db, change, action, links, now, services }: OneHookCall<Where>) {
        const about = await ownerPayload({ db, links }, action);
        await change(async (tx, { hook }) => {
          await countRequested(tx, hook, { limits: services.resourceLimits.webhooks, cost: 1 });
          await ping(tx, hook, alone(links, action, hook), about, now);
        });
      },
    },
  }) as const;
