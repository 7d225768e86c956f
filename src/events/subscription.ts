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

/** What a batch is delivered with, beside the context of jobs. */
type BatchOptions = {
  /** Leaves an event that takes long to a job of its own, so that those behind it needn't wait. Omitted where a job delivers the event. */
  readonly leaveToJob?: (event: Recorded) => void;
};

type Common<Kind extends EventKind> = {
  readonly name: string;
  readonly on: readonly Kind[] | 'everything';
  /** The maximum number of attempts of a job, with growing pauses between them. */
  readonly attempts: number;
};

/**
 * Work to do when events happen, by a job of its own for each event, which has the subscription's name. It is for events that are
 * rare, and for work that may take long.
 */
type Subscription<Kind extends EventKind = EventKind, Context = QueueContext> = Common<Kind> & {
  /** Jobs of one queue run one after the other; by default they run side by side. */
  readonly queue?: (event: Recorded<Kind>) => string;
  /** Waiting jobs with the same key become one, for subscribers that only look at the present state. */
  readonly key?: (event: Recorded<Kind>) => string;
  run(event: Recorded<Kind>, context: Context): Promise<void>;
};

/**
 * Work to do when events happen, for many events at once, beside the other subscriptions to them, with which it shares the scope of the batch.
 * The events of an owner come in their order. Where a batch fails, its parts are tried; an event that fails alone gets a job, which has the
 * subscription's name. A subscription that takes long goes on by itself, and the others don't wait for it.
 */
type BatchSubscription<Kind extends EventKind = EventKind, Context = QueueContext> = Common<Kind> & {
  /** Gets events in the order of their ids. It may get events again that it had already. */
  runAll(events: readonly Recorded<Kind>[], context: Context & BatchOptions): Promise<void>;
};

type WithoutKinds<Declared> = Declared extends unknown
  ? Omit<Declared, 'on'> & { readonly on: readonly EventKind[] | 'everything' }
  : never;

/** A subscription without the types of its events, for lists of all subscriptions. */
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
