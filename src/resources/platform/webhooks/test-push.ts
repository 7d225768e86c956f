import { randomUUID } from 'node:crypto';
import { everybody } from '#access/viewer.ts';
import { type ChangeScope, type Needs, scopeFor } from '#endpoint/scope.ts';
import { findLatestEvent } from '#events/read.ts';
import type { Id } from '#lib/id.ts';
import { emitBody } from '#vocabulary/body.ts';
import { queueDeliveries } from '#webhook-delivery/queue.ts';
import { webhookLimits } from './limits.ts';
import { costOfTest, countRequested } from './quota.ts';
import type { HookRow } from './store.ts';
import type { WebhookEvents } from './webhook-events.ts';

/** Delivers the last push again to a hook, if the hook is subscribed to pushes and there was one. */
export async function testPush(
  given: ChangeScope & Needs<'refRules' | 'resourceLimits' | 'vocabulary'>,
  events: WebhookEvents,
  hook: HookRow,
  repository: Id<'repositories'>,
): Promise<void> {
  const { db, change, now, services } = given;
  const limits = services.resourceLimits.of(webhookLimits);
  if (!hook.events.includes('push') && !hook.events.includes('*')) return;
  const event = await findLatestEvent(db, repository, 'push');
  if (!event) return;
  await change((scope) => countRequested(scope, hook, { limits, cost: costOfTest })); // before the work of the payload
  const built = await events.builderOf(scopeFor(given, everybody))(event);
  const deliveries = built.map(({ type, action, body }) => ({
    hooks: [hook],
    guid: randomUUID(),
    event: type.name,
    action,
    repository_id: repository,
    payload: JSON.stringify(emitBody(services.vocabulary, body, events.parts)),
    maxBytes: limits.payload,
  }));
  await change((scope) => queueDeliveries(scope.tx, deliveries, { now }));
}
