import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import { signalAfter } from '#database/work-signals.ts';
import type { Id } from '#lib/id.ts';
import { tooLarge } from './outcome.ts';

/** A webhook event and the webhooks that receive it, which share one stored payload. */
export type NewDelivery = {
  guid: string;
  event: string;
  action: string | null;
  repository_id?: number | null;
  /** The JSON text of a non-empty object. */
  payload: string;
  /** A payload with more bytes is recorded but not sent. Omitted: no limit. */
  maxBytes?: number;
  /** Whether the payload contains the installation. Otherwise it is added for webhooks of installations. */
  names_installation?: boolean;
  hooks: readonly { id: Id<'webhooks'>; installation?: number | null }[];
};

/**
 * Queues deliveries in the caller's transaction, for the account in which the event happened, or otherwise for the webhook's
 * owner. Existing deliveries aren't added again, and deleted webhooks get none.
 */
export async function queueDeliveries(tx: Tx, wanted: readonly NewDelivery[], { now }: { now: Date }): Promise<void> {
  const hooks = wanted.flatMap((delivery, index) => delivery.hooks.map((hook) => ({ ...hook, n: index + 1 })));
  if (hooks.length === 0) return;
  signalAfter(tx, 'deliveries');
  const rows = wanted.map((delivery) => ({
    ...delivery,
    large: Buffer.byteLength(delivery.payload) > (delivery.maxBytes ?? Number.POSITIVE_INFINITY),
  }));
  await sql`
    with wanted as materialized (
      select w.*, nextval('webhook_payloads_id_seq') as payload_id
      from unnest(${rows.map(({ guid }) => guid)}::uuid[], ${rows.map(({ event }) => event)}::text[],
        ${rows.map(({ action }) => action)}::text[], ${rows.map(({ repository_id }) => repository_id ?? null)}::bigint[],
        ${rows.map(({ payload, large }) => (large ? '{}' : payload))}::text[],
        ${rows.map(({ names_installation = false, large }) => names_installation || large)}::boolean[],
        ${rows.map(({ large }) => large)}::boolean[])
        with ordinality as w(guid, event, action, repository_id, body, names_installation, large, n)
    ), hooks as materialized (
      select t.n, h.id, t.installation_id, coalesce(h.organization_id, r.owner_id, i.account_id, a.owner_id) as owner_id
      from unnest(${hooks.map(({ n }) => n)}::bigint[], ${hooks.map(({ id }) => id)}::bigint[],
          ${hooks.map(({ installation }) => installation ?? null)}::bigint[]) as t(n, id, installation_id)
        join webhooks h on h.id = t.id join wanted w on w.n = t.n
        left join repositories r on r.id = h.repository_id
        left join installations i on i.id = t.installation_id
        left join apps a on a.id = h.app_id
      where not exists (select from webhook_deliveries d where d.hook_id = h.id and d.guid = w.guid and not d.redelivery)
    ), stored as (
      insert into webhook_payloads (id, body, names_installation, created_at) overriding system value
      select payload_id, body, names_installation, ${now} from wanted w where exists (select from hooks where hooks.n = w.n)
    )
    insert into webhook_deliveries (owner_id, hook_id, payload_id, guid, event, action, installation_id, repository_id,
      created_at, due_at, delivered_at, duration_ms, status, status_code)
    select h.owner_id, h.id, w.payload_id, w.guid, w.event, w.action, h.installation_id, w.repository_id, ${now},
      case when not w.large then ${now}::timestamptz end, case when w.large then ${now}::timestamptz end,
      case when w.large then 0 end, case when w.large then ${tooLarge.status} end,
      case when w.large then ${tooLarge.statusCode}::integer end
    from hooks h join wanted w on w.n = h.n order by h.n, h.id
    on conflict (hook_id, guid) where not redelivery do nothing`.execute(tx);
}
