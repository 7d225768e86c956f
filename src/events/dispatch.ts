import { enqueue, type Job, job } from '#jobs/job.ts';
import { findEvent } from './read.ts';
import type { AnySubscription, Recorded } from './subscription.ts';

/**
 * The two jobs that deliver events to subscribers. `events.dispatch`, which is queued with the event, adds one `events.deliver`
 * for each subscriber, all in one transaction, so that a crash neither loses nor doubles one.
 */
export function eventJobs<Services>(subscriptions: readonly AnySubscription<Services>[]): Job<never, Services>[] {
  const byName = new Map(subscriptions.map((subscriber) => [subscriber.name, subscriber]));
  const deliver = job<{ event: number; to: string }, Services>({
    name: 'events.deliver',
    attempts: 25,
    async run({ event, to }, context) {
      const recorded = await findEvent(context.db, event);
      const subscriber = byName.get(to);
      if (recorded && subscriber) await subscriber.run(recorded as never, context); // `events.dispatch` has checked the kind
    },
  });
  const dispatch = job<{ event: number; priority?: number }, Services>({
    name: 'events.dispatch',
    attempts: 25,
    async run({ event, priority = 0 }, context) {
      const recorded = await findEvent(context.db, event);
      if (!recorded) return;
      const subscribers = subscriptions.filter((subscriber) => isSubscribed(subscriber, recorded));
      if (subscribers.length === 0) return;
      await context.change(async (tx) => {
        for (const subscriber of subscribers) {
          const queue = subscriber.queue?.(recorded as never);
          const key = `${subscriber.name}:${subscriber.key?.(recorded as never) ?? event}`;
          await enqueue(
            tx,
            { name: deliver.name, attempts: subscriber.attempts },
            { event, to: subscriber.name },
            { key, priority, ...(queue ? { queue } : {}) },
          );
        }
      });
    },
  });
  return [dispatch, deliver] as Job<never, Services>[]; // each parses its own payload
}

const isSubscribed = <Services>(subscriber: AnySubscription<Services>, event: Recorded): boolean =>
  subscriber.on === 'everything' || subscriber.on.includes(event.kind);
