import type { JobContext } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import type { EventData, EventKind } from './catalogue.ts';

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

/** What wants to know of events. Each subscriber has a job of its own for each event, so that one's failure is not another's. */
export type Subscription<Kind extends EventKind = EventKind, Services = never> = {
  readonly name: string;
  readonly on: readonly Kind[] | 'everything';
  /** Jobs of one queue run one after the other; by default they run side by side. */
  readonly queue?: (event: Recorded<Kind>) => string;
  /** Waiting deliveries with the same key become one: for subscribers that only look at the present state. */
  readonly key?: (event: Recorded<Kind>) => string;
  readonly attempts: number;
  run(event: Recorded<Kind>, context: JobContext<Services>): Promise<void>;
};

/** A subscription as the dispatcher sees it: which kinds it wants, its own types forgotten. */
export type AnySubscription<Services> = Omit<Subscription<never, Services>, 'on'> & {
  readonly on: readonly EventKind[] | 'everything';
};

export const subscription = <Kind extends EventKind, Services = never>(
  declared: Subscription<Kind, Services>,
): Subscription<Kind, Services> => declared;
