import type { QueueContext } from '#jobs/job.ts';
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

/** The options of a batch, beside the context of jobs. */
type BatchOptions = {
  /** Moves a slow event to a job of its own, so that the events behind it needn't wait. Omitted if a job delivers the event. */
  readonly leaveToJob?: (event: Recorded) => void;
};

type Common<Kind extends EventKind> = {
  readonly name: string;
  readonly on: readonly Kind[] | 'everything';
  /** The maximum number of attempts of a job. The pauses between them grow. */
  readonly attempts: number;
};

/**
 * Work to do when events happen. Each event gets a job with the subscription's name. It is for rare events, and for work that may
 * take long.
 */
type Subscription<Kind extends EventKind = EventKind, Context = QueueContext> = Common<Kind> & {
  /** Jobs of one queue run one after the other. By default they run concurrently. */
  readonly queue?: (event: Recorded<Kind>) => string;
  /** Waiting jobs with the same key become one, for subscribers that only read the current state. */
  readonly key?: (event: Recorded<Kind>) => string;
  run(event: Recorded<Kind>, context: Context): Promise<void>;
};

/**
 * Work to do for many events together. It runs beside the other subscriptions of the events, and shares the scope of the batch
 * with them. An owner's events come in order. If a batch fails, its parts are tried separately. An event that fails alone gets a
 * job with the subscription's name. The other subscriptions don't wait for a slow one, which finishes separately.
 */
type BatchSubscription<Kind extends EventKind = EventKind, Context = QueueContext> = Common<Kind> & {
  /** Gets events in the order of their ids. It may get the same events more than once. */
  runAll(events: readonly Recorded<Kind>[], context: Context & BatchOptions): Promise<void>;
};

type WithoutKinds<Declared> = Declared extends unknown
  ? Omit<Declared, 'on'> & { readonly on: readonly EventKind[] | 'everything' }
  : never;

/** A subscription without the types of its events, for the list of all subscriptions. */
export type AnySubscription<Context> = WithoutKinds<Subscription<never, Context>>;
export type AnyBatchSubscription<Context> = WithoutKinds<BatchSubscription<never, Context>>;
export type Subscriber<Context> = AnySubscription<Context> | AnyBatchSubscription<Context>;

export const subscription = <Kind extends EventKind, Context = QueueContext>(
  declared: Subscription<Kind, Context>,
): Subscription<Kind, Context> => declared;

export const batchSubscription = <Kind extends EventKind, Context = QueueContext>(
  declared: BatchSubscription<Kind, Context>,
): BatchSubscription<Kind, Context> => declared;

export const takesBatches = <Context>(subscriber: Subscriber<Context>): subscriber is AnyBatchSubscription<Context> =>
  'runAll' in subscriber;

export const isSubscribed = <Context>({ on }: Subscriber<Context>, { kind }: Recorded): boolean =>
  on === 'everything' || on.includes(kind);
