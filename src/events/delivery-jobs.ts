import { type Job, job, type QueueContext } from '#jobs/job.ts';
import type { DeliveryPayload } from './dispatch.ts';
import { findEvent } from './read.ts';
import { type Subscriber, takesBatches } from './subscription.ts';

/** The jobs that deliver one event, one for each subscription and with its name. */
export const deliveryJobs = <Context extends QueueContext>(subscribers: readonly Subscriber<Context>[]): Job<never, Context>[] =>
  subscribers.map(
    (subscriber) =>
      job<DeliveryPayload, Context>({
        name: subscriber.name,
        attempts: subscriber.attempts,
        async run({ event }, context) {
          const recorded = (await findEvent(context.db, event)) as never; // `dispatchNext` has checked the kind
          if (!recorded) return;
          await (takesBatches(subscriber) ? subscriber.runAll([recorded], context) : subscriber.run(recorded, context));
        },
      }) as Job<never, Context>, // each job parses its own payload
  );
