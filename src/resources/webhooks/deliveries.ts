import type { Db } from '#database/connect.ts';
import type { Listed, Page } from '#lib/page.ts';
import { badRequest } from '#lib/refusal.ts';
import { presentDeliveryItem } from './present.ts';
import type { DeliveryItem, deliveryStatuses } from './schemas.ts';
import { type HookRow, listDeliveries } from './store.ts';

/** The cursor of the page that follows: the id of the last delivery of this one, with a version in case that ever changes. */
const cursorOf = (id: number): string => `v1_${id}`;

function idOf(cursor: string): number {
  const id = /^v1_(\d{1,15})$/.exec(cursor)?.[1];
  if (id === undefined) throw badRequest('Invalid cursor');
  return Number(id);
}

/** A page of a hook's deliveries, newest first. */
export async function deliveriesOf(
  db: Db,
  hook: HookRow,
  { page, status }: { page: Page; status: (typeof deliveryStatuses)[number] | undefined },
): Promise<Listed<DeliveryItem>> {
  const before = page.cursor === undefined ? undefined : idOf(page.cursor);
  const found = await listDeliveries(db, hook.id, { status, before, limit: page.limit });
  const rows = found.slice(0, page.limit);
  const last = rows.at(-1);
  const next = found.length > page.limit && last ? cursorOf(last.id) : undefined;
  return { rows: rows.map(presentDeliveryItem), total: rows.length, next };
}
