import { listSilentHooks } from '#resources/platform/webhooks/index.ts';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

/** Lists active webhooks that only subscribe to events that never happen here. They get nothing but pings. */
export async function webhooks({ db }: Pick<CheckContext, 'db'>): Promise<Diagnosis> {
  const hooks = await listSilentHooks(db);
  const check = 'webhooks';
  if (hooks.length === 0) return { check, ok: true, detail: 'each active one subscribes to an event that is sent' };
  const silent = hooks.map(({ id, owner, events }) => `${id} of ${owner} (${events.join(', ')})`);
  return { check, ok: true, warning: true, detail: `get nothing, since their events never happen here: ${someOf(silent, '; ')}` };
}
