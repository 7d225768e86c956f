import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { signalAfter } from '#database/work-signals.ts';
import { asId, type Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { neverSent } from '#webhook-delivery/event-names.ts';
import type { deliveryStatuses } from './schemas.ts';

export type HookRow = Selectable<DB['webhooks']>;

/** The parent of a hook: an organization, a repository or an app, each with its column. */
export type Parent =
  | { readonly column: 'organization_id'; readonly id: Id<'accounts'> }
  | { readonly column: 'repository_id'; readonly id: Id<'repositories'> }
  | { readonly column: 'app_id'; readonly id: Id<'apps'> };

/** The hooks that a viewer reaches: all, or the hooks that one OAuth app created. */
export type HookAuthors = 'everybody' | { readonly app: Id<'apps'> | undefined };

const ofParent = (db: Db, parent: Parent, authors: HookAuthors) => {
  const hooks = db
    .selectFrom('webhooks')
    .selectAll()
    .where(parent.column, '=', parent.id as never) // the column's own id
    .where('deleted_at', 'is', null);
  return authors === 'everybody' ? hooks : hooks.where('made_by_app', '=', authors.app ?? null);
};

export const listHooks = (db: Db, parent: Parent, authors: HookAuthors, page: Page): Promise<Listed<HookRow>> =>
  list(db, ofParent(db, parent, authors).orderBy('id'), page);

export const findHook = (db: Db, parent: Parent, authors: HookAuthors, id: Id<'webhooks'>): Promise<HookRow | undefined> =>
  ofParent(db, parent, authors).where('id', '=', id).executeTakeFirst();

export const findAppHook = (db: Db, app: Id<'apps'>): Promise<HookRow | undefined> =>
  ofParent(db, { column: 'app_id', id: app }, 'everybody').executeTakeFirst();

/** Locks the parent's row until the transaction ends, so that its hooks can't be added or changed concurrently. */
async function lockHooks(tx: Tx, parent: Parent): Promise<void> {
  const table = parent.column === 'organization_id' ? 'accounts' : parent.column === 'repository_id' ? 'repositories' : 'apps';
  await sql`select from ${sql.table(table)} where id = ${parent.id} for no key update`.execute(tx);
}

/** Reads the hook again and locks all hooks of its parent; undefined if it was deleted. */
export async function findHookForUpdate(tx: Tx, parent: Parent, { id }: Pick<HookRow, 'id'>): Promise<HookRow | undefined> {
  await lockHooks(tx, parent);
  return findHook(tx, parent, 'everybody', id);
}

/** Reads all hooks of a parent and locks their rows. */
export async function listHooksForUpdate(tx: Tx, parent: Parent): Promise<HookRow[]> {
  await lockHooks(tx, parent);
  return ofParent(tx, parent, 'everybody').execute();
}

export const insertHook = (tx: Tx, row: Insertable<DB['webhooks']>): Promise<HookRow> =>
  tx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow();

export const updateHook = (tx: Tx, id: Id<'webhooks'>, change: Updateable<DB['webhooks']>): Promise<HookRow> =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeHook = (tx: Tx, id: Id<'webhooks'>) => tx.deleteFrom('webhooks').where('id', '=', id).execute();

/** Hides a hook from all callers and removes its deliveries. Its row stays until its last delivery is sent. */
export async function hideHook(tx: Tx, id: Id<'webhooks'>, now: Date): Promise<void> {
  await tx.deleteFrom('webhook_deliveries').where('hook_id', '=', id).execute();
  await updateHook(tx, id, { active: false, deleted_at: now });
}

export type DeliveryRow = Selectable<DB['webhook_deliveries']>;
/** A delivery that succeeded, or failed finally. Waiting ones aren't shown. */
export type DoneDelivery = DeliveryRow & { delivered_at: Date };
export type PayloadRow = Selectable<DB['webhook_payloads']>;

const isDone = <Row extends Pick<DeliveryRow, 'delivered_at'>>(row: Row): row is Row & { delivered_at: Date } =>
  row.delivered_at !== null;

const summary = [
  'id',
  'guid',
  'delivered_at',
  'redelivery',
  'duration_ms',
  'status',
  'status_code',
  'event',
  'action',
  'installation_id',
  'repository_id',
  'throttled_at',
] as const;
export type DeliverySummary = Pick<DoneDelivery, (typeof summary)[number]>;

/** A section of a hook's deliveries: older or newer than a given one, or the newest. */
export type DeliveryCursor = { readonly before?: number; readonly after?: number };
type DeliveryListOptions = DeliveryCursor & { status: (typeof deliveryStatuses)[number] | undefined; limit: number };

/**
 * A page of deliveries, newest first. `newer` and `older` are the ids of its first and last row, if there are newer or older
 * deliveries.
 */
type Deliveries = { rows: DeliverySummary[]; newer?: number | undefined; older?: number | undefined };

export async function listDeliveries(
  db: Db,
  hook: Id<'webhooks'>,
  { status, before, after, limit }: DeliveryListOptions,
): Promise<Deliveries> {
  const done = deliveriesOf(db, hook, status).select(summary);
  if (after !== undefined) {
    const found = await done
      .where('id', '>', asDelivery(after))
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const rows = found.slice(0, limit).reverse().filter(isDone);
    return { rows, newer: found.length > limit ? rows[0]?.id : undefined, older: rows.at(-1)?.id ?? after + 1 };
  }
  const part = before === undefined ? done : done.where('id', '<', asDelivery(before));
  const found = await part
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit).filter(isDone);
  const older = found.length > limit ? rows.at(-1)?.id : undefined;
  const first = before === undefined ? undefined : (rows[0]?.id ?? before - 1);
  return { rows, older, newer: first !== undefined && (await hasNewer(db, hook, status, first)) ? first : undefined };
}

/** The completed deliveries, with one outcome or any. */
function deliveriesOf(db: Db, hook: Id<'webhooks'>, status: DeliveryListOptions['status']) {
  const done = db.selectFrom('webhook_deliveries').where('hook_id', '=', hook).where('delivered_at', 'is not', null);
  if (status === 'success') return done.where('status_code', '>=', 200).where('status_code', '<', 400);
  return status === 'failure' ? done.where('status_code', '>=', 400).where('status_code', '<', 600) : done;
}

async function hasNewer(db: Db, hook: Id<'webhooks'>, status: DeliveryListOptions['status'], id: number): Promise<boolean> {
  const newer = deliveriesOf(db, hook, status).select('id').where('id', '>', asDelivery(id)).limit(1);
  return (await newer.executeTakeFirst()) !== undefined;
}

/** The delivery id of a parsed cursor. */
const asDelivery = (id: number) => asId<'webhook_deliveries'>(id);

export async function findDelivery(
  db: Db,
  hook: Id<'webhooks'>,
  id: Id<'webhook_deliveries'>,
): Promise<DoneDelivery | undefined> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('hook_id', '=', hook)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && isDone(row) ? row : undefined;
}

export const findPayload = (db: Db, { payload_id }: Pick<DeliveryRow, 'payload_id'>): Promise<PayloadRow | undefined> =>
  db.selectFrom('webhook_payloads').selectAll().where('id', '=', payload_id).executeTakeFirst();

/** Queues a delivery again, with the same GUID and payload. The old one can't be removed before this is done. */
export async function insertRedelivery(tx: Tx, id: Id<'webhook_deliveries'>, now: Date): Promise<void> {
  signalAfter(tx, 'deliveries');
  await sql`
    insert into webhook_deliveries
      (owner_id, hook_id, payload_id, guid, event, action, redelivery, installation_id, repository_id, due_at, created_at)
    select owner_id, hook_id, payload_id, guid, event, action, true, installation_id, repository_id,
      ${now}::timestamptz, ${now}::timestamptz
    from webhook_deliveries where id = ${id} for key share`.execute(tx);
}

export type LastResponse = { hook_id: Id<'webhooks'>; status_code: number | null; status: string | null };

/** The last response of each hook's receiver. */
export async function loadLastResponses(db: Db, hooks: readonly Id<'webhooks'>[]): Promise<Map<Id<'webhooks'>, LastResponse>> {
  if (hooks.length === 0) return new Map();
  const { rows } = await sql<LastResponse>`
    select h.id as hook_id, d.status_code, d.status from unnest(${[...hooks]}::bigint[]) as h(id),
      lateral (select status_code, status from webhook_deliveries
        where hook_id = h.id and delivered_at is not null order by id desc limit 1) d`.execute(db);
  return new Map(rows.map((row) => [row.hook_id, row]));
}

/** An active webhook that gets nothing but pings, and its organization or repository. */
type SilentHook = { id: number; owner: string; events: string[] };

/** The active webhooks of organizations and repositories that only subscribe to events that never happen here. */
export async function listSilentHooks(db: Db): Promise<SilentHook[]> {
  const { rows } = await sql<SilentHook>`
    select h.id, h.events, coalesce(o.login, a.login || '/' || r.name) as owner
    from webhooks h
      left join accounts o on o.id = h.organization_id
      left join repositories r on r.id = h.repository_id left join accounts a on a.id = r.owner_id
    where h.active and h.deleted_at is null and h.app_id is null and cardinality(h.events) > 0
      and h.events <@ ${Object.keys(neverSent)}::text[]
    order by h.id`.execute(db);
  return rows;
}
