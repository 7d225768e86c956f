import { randomUUID } from 'node:crypto';
import type { Call } from '#endpoint/call.ts';
import { findLatestEvent } from '#events/read.ts';
import type { Id } from '#lib/id.ts';
import { emitBody } from '#vocabulary/body.ts';
import { queueDeliveries } from '#webhooks/deliveries.ts';
import { payloadParts } from './payloads/parts.ts';
import { tell } from './payloads/tellers.ts';
import type { HookRow } from './store.ts';

type Context = Pick<Call, 'db' | 'change' | 'links' | 'now' | 'services'>;

/** Delivers the last push again to a hook, if the hook listens for pushes and there was one. */
export async function testPush(context: Context, hook: HookRow, repository: Id<'repositories'>): Promise<void> {
  const { db, change, links, now, services } = context;
  if (!hook.events.includes('push') && !hook.events.includes('*')) return;
  const event = await findLatestEvent(db, repository, 'push');
  const told = event ? await tell(event, { db, git: services.git, links }) : [];
  const deliveries = told.map(({ name, action, body }) => ({
    hook_id: hook.id,
    guid: randomUUID(),
    event: name,
    action,
    repository_id: repository,
    payload: JSON.stringify(emitBody(services.vocabulary, body, payloadParts)),
  }));
  await change((tx) => queueDeliveries(tx, deliveries, now));
}
