import { sql } from 'kysely';
import { neverSent } from '#webhook-delivery/event-names.ts';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

type SilentHook = { id: number; owner: string; events: string[] };

/** Lists active webhooks that only subscribe to events that never happen here. They get nothing but pings. */
export async function webhooks({ db }: Pick<CheckContext, 'db'>): Promise<Diagnosis> {
  const { rows } = await sql<SilentHook>`
    select h.id, h.events, coalesce(o.login, a.login || '/' || r.name) as owner
    from webhooks h
      left join accounts o on o.id = h.organization_id
      left join repositories r on r.id = h.repository_id left join accounts a on a.id = r.owner_id
    where h.active and h.app_id is null and h.events <@ ${Object.keys(neverSent)}::text[] and cardinality(h.events) > 0
    order by h.id`.execute(db);
  const check = 'webhooks';
  if (rows.length === 0) return { check, ok: true, detail: 'each active one subscribes to an event that is sent' };
  const silent = rows.map(({ id, owner, events }) => `${id} of ${owner} (${events.join(', ')})`);
  return { check, ok: true, warning: true, detail: `get nothing, since their events never happen here: ${someOf(silent, '; ')}` };
}
