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

export type BatchContext<Services = unknown> = JobContext<Services> & {
  /** Of lanes: leaves an event that takes long to a job of its own, so that those behind it needn't wait. */
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
export type Subscription<Kind extends EventKind = EventKind, Services = never> = Common<Kind> & {
  /** Jobs of one queue run one after the other; by default they run side by side. */
  readonly queue?: (event: Recorded<Kind>) => string;
  /** Waiting jobs with the same key become one, for subscribers that only look at the present state. */
  readonly key?: (event: Recorded<Kind>) => string;
  run(event: Recorded<Kind>, context: JobContext<Services>): Promise<void>;
};

/**
 * Work to do when events happen, for many events at once. Each of these subscriptions has lanes of its own, in which one batch comes
 * after the other, so that it waits neither for jobs nor for other subscriptions, and events of one subject come in their order. Where
 * a batch fails, its parts are tried; an event that fails alone gets a job, which has the subscription's name.
 */
export type BatchSubscription<Kind extends EventKind = EventKind, Services = never> = Common<Kind> & {
  /** The maximum number of events at once. Omitted: 200. */
  readonly batch?: number;
  /** The number of lanes in which it takes batches at the same time. Omitted: 1. */
  readonly lanes?: number;
  /** Whose events keep their order, in one lane. Omitted: those of a repository. */
  readonly inOrderOf?: 'repository' | 'owner';
  /** Gets events in the order of their ids. It may get events again that it had already. */
  runAll(events: readonly Recorded<Kind>[], context: BatchContext<Services>): Promise<void>;
};

type WithoutKinds<Declared> = Declared extends unknown
  ? Omit<Declared, 'on'> & { readonly on: readonly EventKind[] | 'everything' }
  : never;

/** A subscription without the types of its events, for lists of all subscriptions. */
export type AnySubscription<Services> = WithoutKinds<Subscription<never, Services>>;
export type AnyBatchSubscription<Services> = WithoutKinds<BatchSubscription<never, Services>>;
export type Subscriber<Services> = AnySubscription<Services> | AnyBatchSubscription<Services>;

export const subscription = <Kind extends EventKind, Services = never>(
  declared: Subscription<Kind, Services>,
): Subscription<Kind, Services> => declared;

export const batchSubscription = <Kind extends EventKind, Services = never>(
  declared: BatchSubscription<Kind, Services>,
): BatchSubscription<Kind, Services> => declared;

export const takesBatches = <Services>(subscriber: Subscriber<Services>): subscriber is AnyBatchSubscription<Services> =>
  'runAll' in subscriber;

/** The names of a subscription's lanes. */
export const lanesOf = <Services>({ name, lanes = 1 }: AnyBatchSubscription<Services>): string[] =>
  Array.from({ length: lanes }, (_, at) => (at === 0 ? name : `${name}/${at}`));

/** The lane of an event. */
export function laneOf<Services>(subscriber: AnyBatchSubscription<Services>, { repository, owner }: Recorded): string {
  const lanes = lanesOf(subscriber);
  const subject = subscriber.inOrderOf === 'owner' ? owner : (repository ?? owner);
  return lanes[subject % lanes.length] ?? subscriber.name;
}

export const isSubscribed = <Services>({ on }: Subscriber<Services>, { kind }: Recorded): boolean =>
  on === 'everything' || on.includes(kind);
