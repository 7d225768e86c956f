import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';

export const WebhookConfig = Type.Object({
  url: Type.String(),
  content_type: Type.String(),
  secret: Type.Optional(Type.String()),
  insecure_ssl: Type.String(),
});
export type WebhookConfig = Static<typeof WebhookConfig>;

/** The configuration of an app's webhook. Everything is optional, since an app may have none. */
export const AppWebhookConfig = Type.Partial(WebhookConfig);

const shared = {
  id: Type.Integer(),
  url: Type.String(),
  ping_url: Type.String(),
  deliveries_url: Type.String(),
  name: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  config: WebhookConfig,
  created_at: Timestamp,
  updated_at: Timestamp,
  type: Type.String(),
};

/** A webhook of an organization. */
export const OrgWebhook = Type.Object(shared);
export type OrgWebhook = Static<typeof OrgWebhook>;

/** A webhook of a repository. */
export const RepoWebhook = Type.Object({
  ...shared,
  test_url: Type.String(),
  last_response: Type.Object({
    code: Nullable(Type.Integer()),
    status: Nullable(Type.String()),
    message: Nullable(Type.String()),
  }),
});
export type RepoWebhook = Static<typeof RepoWebhook>;

const url = Type.String({ minLength: 1, maxLength: 2048 });
const flag = Type.Unsafe<'0' | '1' | 0 | 1>({ enum: ['0', '1', 0, 1] });

const configFields = {
  content_type: Type.Optional(OneOf(['json', 'form'])),
  secret: Type.Optional(Type.String({ maxLength: 1024 })),
  insecure_ssl: Type.Optional(flag),
};

const WantedConfig = Type.Object({
  url,
  ...configFields,
  username: Type.Optional(Type.String({ maxLength: 255 })),
  password: Type.Optional(Type.String({ maxLength: 1024 })),
});
export type WantedConfig = Static<typeof WantedConfig>;

const events = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 });
const title = { title: 'Hook' };

export const NewOrgWebhook = Type.Object(
  {
    name: OneOf(['web']),
    config: WantedConfig,
    events: withDefault(events, ['push']),
    active: withDefault(Type.Boolean(), true),
  },
  title,
);

export const NewRepoWebhook = Type.Object(
  {
    name: withDefault(OneOf(['web']), 'web'),
    config: WantedConfig,
    events: withDefault(events, ['push']),
    active: withDefault(Type.Boolean(), true),
  },
  title,
);
export type NewWebhook = Static<typeof NewOrgWebhook>;

/** Omitted fields stay unchanged. A `config` replaces the whole configuration, including its secret. */
export const OrgWebhookChange = Type.Object(
  {
    name: Type.Optional(OneOf(['web'])),
    config: Type.Optional(WantedConfig),
    events: Type.Optional(events),
    active: Type.Optional(Type.Boolean()),
  },
  title,
);

export const RepoWebhookChange = Type.Object(
  {
    config: Type.Optional(WantedConfig),
    events: Type.Optional(events),
    add_events: Type.Optional(events),
    remove_events: Type.Optional(events),
    active: Type.Optional(Type.Boolean()),
  },
  title,
);
export type WebhookChange = Static<typeof RepoWebhookChange>;

/** Changes the given fields of a configuration. */
export const ConfigChange = Type.Object({ url: Type.Optional(url), ...configFields }, title);
export type ConfigChange = Static<typeof ConfigChange>;

export const DeliveryItem = Type.Object({
  id: Type.Integer(),
  guid: Type.String(),
  delivered_at: Timestamp,
  redelivery: Type.Boolean(),
  duration: Type.Number(),
  status: Type.String(),
  status_code: Type.Integer(),
  event: Type.String(),
  action: Nullable(Type.String()),
  installation_id: Nullable(Type.Integer()),
  repository_id: Nullable(Type.Integer()),
  throttled_at: Nullable(Timestamp),
});
export type DeliveryItem = Static<typeof DeliveryItem>;

const free = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

export const Delivery = Type.Object({
  ...DeliveryItem.properties,
  url: Type.String(),
  request: Type.Object({ headers: Nullable(free), payload: Nullable(free) }),
  response: Type.Object({ headers: Nullable(free), payload: Nullable(Type.String()) }),
});
export type Delivery = Static<typeof Delivery>;

export const deliveryStatuses = ['success', 'failure'] as const;
export const DeliveryQuery = Type.Object({ status: Type.Optional(OneOf(deliveryStatuses)) });
export type DeliveryQuery = Static<typeof DeliveryQuery>;
