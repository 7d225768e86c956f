import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { Page, Uncounted } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';
import type { webhookLimits } from './limits.ts';
import { presentDeliveryItem } from './present.ts';
import { countRequested } from './quota.ts';
import type { DeliveryItem, deliveryStatuses } from './schemas.ts';
import { type DeliveryCursor, type DeliveryRow, type HookRow, insertRedelivery, listDeliveries } from './store.ts';

/**
 * Parses a cursor. It contains the id of a delivery next to the page, and a version in case the format changes: `v1_7` is the
 * page of deliveries older than delivery 7, and `v1_after_7` the page of newer ones.
 */
function parseCursor(cursor: string): DeliveryCursor {
  const [, after, id] = /^v1_(after_)?(\d{1,15})$/.exec(cursor) ?? [];
  if (id === undefined) throw badRequest('Invalid cursor');
  return after === undefined ? { before: Number(id) } : { after: Number(id) };
}

/** A page of a hook's deliveries, newest first. */
export async function deliveriesOf(
  db: Db,
  hook: HookRow,
  { page, status }: { page: Page; status: (typeof deliveryStatuses)[number] | undefined },
): Promise<Uncounted<DeliveryItem>> {
  const range = page.cursor === undefined ? {} : parseCursor(page.cursor);
  const { rows, newer, older } = await listDeliveries(db, hook.id, { status, ...range, limit: page.limit });
  return {
    rows: rows.map(presentDeliveryItem),
    next: older === undefined ? undefined : `v1_${older}`,
    previous: newer === undefined ? undefined : `v1_after_${newer}`,
  };
}

/** Sends a delivery of a hook again. */
export async function redeliver(
  scope: WriteScope,
  hook: HookRow,
  delivery: DeliveryRow,
  { limits, now }: { limits: LimitValues<typeof webhookLimits>; now: Date },
): Promise<void> {
  await countRequested(scope, hook, { limits, cost: 1 });
  await insertRedelivery(scope.tx, delivery.id, now);
}
