import type { Account } from '#access/viewer.ts';
import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { payloadText } from '#webhook-delivery/payload.ts';
import type { HookOwner } from './hook-owner.ts';
import type { Delivery, DeliveryItem, OrgWebhook, RepoWebhook, WebhookConfig } from './schemas.ts';
import {
  type DeliverySummary,
  type DoneDelivery,
  type HookRow,
  type LastResponse,
  loadLastResponses,
  type PayloadRow,
} from './store.ts';

/** Replaces a secret in replies. */
export const mask = '********';

export const presentConfig = (hook: HookRow): WebhookConfig => ({
  url: hook.url,
  content_type: hook.content_type,
  insecure_ssl: hook.insecure_ssl ? '1' : '0',
  ...(hook.secret_sealed ? { secret: mask } : {}),
});

const presentShared = (hook: HookRow, url: string): Omit<OrgWebhook, 'type'> => ({
  id: hook.id,
  url,
  ping_url: `${url}/pings`,
  deliveries_url: `${url}/deliveries`,
  name: 'web',
  events: hook.events,
  active: hook.active,
  config: presentConfig(hook),
  updated_at: timestamp(hook.updated_at),
  created_at: timestamp(hook.created_at),
});

const presentOrgHook = (links: Links, org: Pick<Account, 'login'>, hook: HookRow): OrgWebhook => ({
  type: 'Organization',
  ...presentShared(hook, path(`${links.api}/orgs`, org.login, 'hooks', hook.id)),
});

function presentRepoHook(
  links: Links,
  repo: NamedRepository,
  hook: HookRow,
  lastResponse: LastResponse | undefined,
): RepoWebhook {
  const url = path(`${repositoryUrl(links, repo)}/hooks`, hook.id);
  return {
    type: 'Repository',
    ...presentShared(hook, url),
    test_url: `${url}/tests`,
    last_response: lastResponse
      ? {
          code: lastResponse.status_code,
          status: lastResponse.status === 'OK' ? 'active' : 'failed',
          message: lastResponse.status,
        }
      : { code: null, status: 'unused', message: null },
  };
}

/** A hook in deliveries and in replies to changes, without the last response of its receiver. */
export const presentHook = (links: Links, owner: HookOwner, hook: HookRow): OrgWebhook | RepoWebhook =>
  'org' in owner ? presentOrgHook(links, owner.org, hook) : presentRepoHook(links, owner.repo, hook, undefined);

/** Hooks of one organization or repository. A repository's hooks include the last response of their receivers. */
export async function presentHooks(
  { db, links }: Scope,
  owner: HookOwner,
  rows: readonly HookRow[],
): Promise<(OrgWebhook | RepoWebhook)[]> {
  if ('org' in owner) return rows.map((row) => presentOrgHook(links, owner.org, row));
  const lastResponses = await loadLastResponses(db, gather(rows, 'id'));
  return rows.map((row) => presentRepoHook(links, owner.repo, row, lastResponses.get(row.id)));
}

export const presentDeliveryItem = (row: DeliverySummary): DeliveryItem => ({
  id: row.id,
  guid: row.guid,
  delivered_at: timestamp(row.delivered_at),
  redelivery: row.redelivery,
  duration: (row.duration_ms ?? 0) / 1000,
  status: row.status ?? '',
  status_code: row.status_code ?? 0,
  event: row.event,
  action: row.action,
  installation_id: row.installation_id,
  repository_id: row.repository_id,
  throttled_at: timestampOrNull(row.throttled_at),
});

export const presentDelivery = (hook: HookRow, row: DoneDelivery, payload: PayloadRow): Delivery => ({
  ...presentDeliveryItem(row),
  url: row.url ?? hook.url,
  request: {
    headers: objectOf(row.request_headers),
    payload: objectOf(JSON.parse(payloadText({ ...payload, installation_id: row.installation_id }))),
  },
  response: { headers: objectOf(row.response_headers), payload: row.response_body },
});

const objectOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : null;
