import { beyond } from '#access/permissions.ts';
import type { EventData } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { getOptional } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { revived, type Snapshot } from '#lib/snapshot.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { eventKinds, type PayloadScope, payloadBuilder, type WebhookEvent, webhookEventType } from '#resources/event-kinds.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { byScope, selectionWord } from './present.ts';
import type { FullTokenRequest } from './request-store.ts';
import { loadNames } from './store.ts';

type RequestData = { request: Snapshot<FullTokenRequest> };

declare module '#events/kinds.ts' {
  interface EventData {
    'token_request.created': RequestData;
    'token_request.approved': RequestData;
    'token_request.denied': RequestData;
    'token_request.cancelled': RequestData;
    'token.revoked': { tokens: Id<'tokens'>[] };
  }
}

type RequestKind = Extract<keyof EventData, `token_request.${string}`>;

/** Requests of fine-grained tokens for access to an organization. The payload describes the original request. */
const requestEvent = webhookEventType({
  name: 'personal_access_token_request',
  permission: 'organization_personal_access_token_requests:read',
  hooks: 'apps',
});

async function buildRequestEvents(
  { db, links }: PayloadScope,
  { owner, at, data }: Pick<Recorded<RequestKind>, 'owner' | 'at' | 'data'>,
  action: string,
): Promise<readonly WebhookEvent[]> {
  const request = revived<FullTokenRequest>(data.request, ['created_at', 'token_expires_at', 'token_last_used_at']);
  const [accounts, names] = await Promise.all([loadAccounts(db, [owner, request.user_id]), loadNames(db, request.repositories)]);
  const [organization, user] = [getOptional(accounts, owner), getOptional(accounts, request.user_id)];
  if (!organization || !user) return [];
  const wanted = request.permissions as FullTokenRequest['held']; // checkPermissions has validated it
  const { added, upgraded } = beyond(wanted, request.held);
  const isSubset = request.repository_selection === 'selected';
  const body = {
    id: request.id,
    owner: presentUser(links, user),
    permissions_added: byScope(added),
    permissions_upgraded: byScope(upgraded),
    permissions_result: byScope(wanted),
    repository_selection: selectionWord(request.repository_selection),
    repository_count: isSubset ? request.repositories.length : null,
    repositories: isSubset
      ? names.map(({ id, name, visibility }) => ({
          id,
          node_id: nodeId('Repository', id),
          name,
          full_name: `${organization.login}/${name}`,
          private: visibility !== 'public',
        }))
      : null,
    created_at: timestamp(request.created_at),
    token_id: request.token_id,
    token_name: request.token_name,
    token_expired: request.token_expires_at !== null && request.token_expires_at <= at,
    token_expires_at: timestampOrNull(request.token_expires_at),
    token_last_used_at: timestampOrNull(request.token_last_used_at),
  };
  return [{ type: requestEvent, action, body: { personal_access_token_request: body } }];
}

const requestPayload = <Kind extends RequestKind>(action: string) =>
  payloadBuilder<Kind>([requestEvent], (event, context) => buildRequestEvents(context, event, action));

export const tokenEvents = eventKinds({
  'token_request.created': requestPayload('created'),
  'token_request.approved': requestPayload('approved'),
  'token_request.denied': requestPayload('denied'),
  'token_request.cancelled': requestPayload('cancelled'),
  'token.revoked': 'no webhook',
});
