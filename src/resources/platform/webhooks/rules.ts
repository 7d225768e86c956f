import type { Viewer } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Event } from '#events/record.ts';
import { record } from '#events/record.ts';
import { unique } from '#lib/collections.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { invalid, Refusal, unprocessable } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { Outbound } from '#net/outbound.ts';
import { isSubscribable } from '#webhook-delivery/event-names.ts';
import { secretContext } from '#webhook-delivery/secret-context.ts';
import { webhookLimits } from './limits.ts';
import { mask } from './present.ts';
import { type LastPayload, removeAndNotify } from './removal.ts';
import type { ConfigChange, NewWebhook, WantedConfig, WebhookChange } from './schemas.ts';
import { type HookRow, insertHook, listHooksForUpdate, type Parent, removeHook, updateHook } from './store.ts';

/** The services that the rules use. */
export type HookServices = { readonly secrets: Secrets; readonly outbound: Outbound; readonly resourceLimits: ResourceLimits };

/** The parent of a hook, and the actor of the change. `owner` is the account that owns the organization or repository. */
export type HookAction = {
  parent: Parent;
  owner: Event['owner'];
  by: Viewer;
  now: Date;
  services: HookServices;
};

export async function createHook(scope: WriteScope, action: HookAction, wanted: NewWebhook, baseUrl: string): Promise<HookRow> {
  const { parent, by, now } = action;
  const events = checkEvents(wanted.events);
  const config = configColumns(action, wanted.config);
  await checkHookLimits(scope, action, { ...config, events });
  const hook = await insertHook(scope.tx, {
    [parent.column]: parent.id,
    ...config,
    events,
    active: wanted.active,
    base_url: baseUrl,
    made_by_app: by.grant.kind === 'oauth_app' ? (by.grant.appId ?? null) : null,
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...eventOf(action), kind: 'hook.created', data: { hook: hook.id } });
  return hook;
}

/** Changes the named fields of a hook. A new configuration replaces the old one as a whole, its secret included (document 2). */
export async function changeHook(scope: WriteScope, action: HookAction, hook: HookRow, wanted: WebhookChange): Promise<HookRow> {
  const { now } = action;
  const { add_events: added = [], remove_events: removed = [] } = wanted;
  const kept = [...(wanted.events ?? hook.events), ...checkEvents(added, 'add_events')];
  const events = checkEvents(kept.filter((name) => !checkEvents(removed, 'remove_events').includes(name)));
  const config = wanted.config ? configColumns(action, wanted.config, hook) : undefined;
  await checkHookLimits(scope, action, { ...hook, ...config, events });
  const changed = await updateHook(scope.tx, hook.id, {
    ...config,
    events,
    active: wanted.active ?? hook.active,
    failures: 0,
    paused_until: null,
    updated_at: now,
  });
  await record(scope.tx, { ...eventOf(action), kind: 'hook.updated', data: { hook: hook.id } });
  return changed;
}

/** Changes the named fields of a configuration. */
export async function changeConfig(scope: WriteScope, action: HookAction, hook: HookRow, wanted: ConfigChange): Promise<HookRow> {
  const { parent, services, now } = action;
  const { url, content_type, insecure_ssl, secret } = wanted;
  const config = {
    ...(url === undefined ? {} : { url: checkUrl(services.outbound, url, 'url') }),
    ...(content_type === undefined ? {} : { content_type }),
    ...(insecure_ssl === undefined ? {} : { insecure_ssl: isOn(insecure_ssl) }),
    ...(secret === undefined || secret === mask ? {} : { secret_sealed: sealedSecret(services.secrets, parent, secret) }),
  };
  await checkHookLimits(scope, action, { ...hook, ...config });
  const changed = await updateHook(scope.tx, hook.id, { ...config, failures: 0, paused_until: null, updated_at: now });
  await record(scope.tx, { ...eventOf(action), kind: 'hook.updated', data: { hook: hook.id } });
  return changed;
}

/** Deletes a hook. If it is subscribed to `meta`, it gets a last delivery, but can no longer be found. */
export async function deleteHook(
  scope: WriteScope,
  action: Omit<HookAction, 'services'>,
  hook: HookRow,
  last: LastPayload,
): Promise<void> {
  if (hook.active && subscribesTo(hook, 'meta')) await removeAndNotify(scope, hook, last, action.now);
  else await removeHook(scope.tx, hook.id);
  await record(scope.tx, { ...eventOf(action), kind: 'hook.deleted', data: { hook: hook.id } });
}

const eventOf = ({ parent, owner, by, now }: Omit<HookAction, 'services'>) =>
  ({
    owner,
    ...(parent.column === 'repository_id' ? { repository: parent.id } : {}),
    actor: by.account?.id,
    at: now,
  }) as const;

/** The events without duplicates, or only `*`, which includes all others. Refuses unknown events. */
function checkEvents(wanted: readonly string[], field = 'events'): string[] {
  const unknown = wanted.find((name) => !isSubscribable(name));
  if (unknown !== undefined) throw invalid('Hook', field, 'invalid', `${unknown.slice(0, 100)} is not an event of webhooks`);
  const names = unique(wanted);
  return names.includes('*') ? ['*'] : names;
}

const isOn = (flag: '0' | '1' | 0 | 1): boolean => Number(flag) === 1;

/**
 * URL parsers repair spaces, backslashes and missing slashes. Such URLs are refused, so that replies show exactly the requested
 * URL.
 */
const plainUrl = /^https?:\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]*$/iu;

/** Refuses a URL to which deliveries aren't allowed. Returns it otherwise. */
export function checkUrl(outbound: Outbound, url: string, field: string): string {
  if (!plainUrl.test(url))
    throw invalid('Hook', field, 'invalid', `${field} must be an http or https URL without spaces and backslashes`);
  const reason = outbound.refuses(url);
  if (reason !== undefined) throw invalid('Hook', field, 'invalid', `${field} ${reason}`);
  return url;
}

const sealedSecret = (secrets: Secrets, parent: Parent, secret: string): Buffer | null =>
  secret === '' ? null : secrets.seal(secret, secretContext('secret', { [parent.column]: parent.id }));

/** The columns of a whole configuration. If `secret` is the mask that replies show, the secret stays unchanged. */
function configColumns({ services: { secrets, outbound }, parent }: HookAction, config: WantedConfig, before?: HookRow) {
  const { secret = '', password, username } = config;
  return {
    url: checkUrl(outbound, config.url, 'config.url'),
    content_type: config.content_type ?? ('form' as const),
    insecure_ssl: isOn(config.insecure_ssl ?? '0'),
    secret_sealed: secret === mask && before ? before.secret_sealed : sealedSecret(secrets, parent, secret),
    username: username ?? null,
    password_sealed:
      password === undefined ? null : secrets.seal(password, secretContext('password', { [parent.column]: parent.id })),
  };
}

type HookSettings = Pick<HookRow, 'url' | 'content_type' | 'events'> & { id?: HookRow['id'] };

/** The public API's rules: two hooks with the same configuration can't share an event, and an event has at most 20 hooks. */
async function checkHookLimits(scope: WriteScope, { parent, services }: HookAction, candidate: HookSettings): Promise<void> {
  const { hooks: maxHooks, hooksPerEvent } = services.resourceLimits.of(webhookLimits);
  const others = (await listHooksForUpdate(scope.tx, parent)).filter(({ id }) => id !== candidate.id);
  if (candidate.id === undefined && others.length >= maxHooks) throw tooManyHooks(maxHooks);
  const duplicate = others.find(
    (other) => other.url === candidate.url && other.content_type === candidate.content_type && shareEvent(other, candidate),
  );
  if (duplicate) throw unprocessable(`Hook already exists on this ${parent.column.replace('_id', '')}`);
  const fullEvent = candidate.events.find((name) => others.filter((other) => subscribesTo(other, name)).length >= hooksPerEvent);
  if (fullEvent !== undefined)
    throw invalid('Hook', 'events', 'invalid', `At most ${hooksPerEvent} hooks may be subscribed to ${fullEvent}`);
}

const tooManyHooks = (maxHooks: number): Refusal =>
  new Refusal('invalid', `There are ${maxHooks} webhooks here already, the most that may be (webhooks.hooks).`, [], {
    limit: 'webhooks.hooks',
  });

const subscribesTo = ({ events }: Pick<HookRow, 'events'>, name: string): boolean =>
  events.includes('*') || events.includes(name);

const shareEvent = (one: HookSettings, other: HookSettings): boolean =>
  one.events.includes('*') || other.events.includes('*') || one.events.some((name) => other.events.includes(name));
