import { randomUUID } from 'node:crypto';
import type { WriteScope } from '#endpoint/scope.ts';
import { queueDeliveries } from '#webhook-delivery/queue.ts';
import type { HookRow } from './store.ts';

/** One sentence for each day of the week. The choice isn't random, so that tests can expect it. */
const sentences = [
  'Small steps leave straight tracks.',
  'A name well chosen saves a page.',
  'Read it once more before you ship it.',
  'What is measured can be mended.',
  'Leave the path cleaner than you found it.',
  'A quiet log is a good night.',
  'Ask first what it is for.',
] as const;

/** The parts of a ping other than the hook: its organization or repository, and the user who requested the ping. */
export type OwnerPayload = Readonly<Record<string, unknown>>;

/** Queues a `ping` for a hook, whether or not the hook is active. */
export const ping = (scope: WriteScope, hook: HookRow, presented: object, about: OwnerPayload, now: Date): Promise<void> =>
  queueDeliveries(
    scope.tx,
    [
      {
        hooks: [hook],
        guid: randomUUID(),
        event: 'ping',
        action: null,
        repository_id: hook.repository_id,
        payload: JSON.stringify({
          zen: sentences[now.getUTCDay()],
          hook_id: hook.id,
          hook: presented,
          ...about,
        }),
      },
    ],
    { now },
  );
