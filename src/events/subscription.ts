import type { JobContext } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import type { EventData, EventKind } from './kinds.ts';

/** An event as its subscribers receive it. */
export type Recorded<Kind extends EventKind = EventKind> = {
  [K in Kind]: {
    id: Id<'events'>;
    kind: K;
    owner: Id<'accounts'>;
    repository: Id<'repositories'> | undefined;
    actor: Id<'accounts'> | undefined;
    at: Date;
    data: EventData[K];
  };
}[Kind];

/**
 * Work to do when events happen. Each subscription has a job of its own for each event, so that one's failure doesn't affect
 * others.
 */
export type Subscription<Kind extends EventKind = EventKind, Services = never> = {
  readonly name: string;
  readonly on: readonly Kind[] | 'everything';
  /** Jobs of one queue run one after the other; by default they run side by side. */
  readonly queue?: (event: Recorded<Kind>) => string;
  /** Waiting jobs with the same key become one, for subscribers that only look at the present state. */
  readonly key?: (event: Recorded<Kind>) => string;
  readonly attempts: number;
  run(event: Recorded<Kind>, context: JobContext<Services>): Promise<void>;
};

/** A subscription without the types of its events, for lists of all subscriptions. */
export type AnySubscription<Services> = Omit<Subscription<never, Services>, 'on'> & {
  readonly on: readonly EventKind[] | 'everything';
};

export const subscription = <Kind extends EventKind, Services = never>(
  declared: Subscription<Kind, Services>,
): Subscription<Kind, Services> => declared;
