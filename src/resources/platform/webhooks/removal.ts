import { randomUUID } from 'node:crypto';
import type { WriteScope } from '#endpoint/scope.ts';
import { queueDeliveries } from '#webhook-delivery/queue.ts';
import type { OwnerPayload } from './pings.ts';
import { type HookRow, hideHook } from './store.ts';

/** The hook as presented before its deletion, with its organization or repository, for the delivery about the deletion. */
export type LastPayload = { readonly presented: object; readonly about: OwnerPayload };

/** Hides a hook, and queues the `meta` delivery that notifies its receiver of the deletion. */
export async function removeAndNotify(
  scope: WriteScope,
  hook: HookRow,
  { presented, about }: LastPayload,
  now: Date,
): Promise<void> {
  await hideHook(scope.tx, hook.id, now);
  const action = 'deleted';
  const delivery = { hooks: [hook], guid: randomUUID(), event: 'meta', action, repository_id: hook.repository_id };
  const payload = JSON.stringify({ action, hook_id: hook.id, hook: presented, ...about });
  await queueDeliveries(scope.tx, [{ ...delivery, payload }], { now });
}
