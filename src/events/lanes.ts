import type { AnyBatchSubscription, Recorded } from './subscription.ts';

/**
 * A queue of events that are delivered in batches, one after the other, by one process at a time. In a shared lane, all subscriptions get a
 * batch together. A subscription that is slow gets its events in a lane of its own until it has caught up.
 */
export type Lane<Context> = {
  readonly name: string;
  readonly subscriptions: readonly AnyBatchSubscription<Context>[];
  /** The own lane of each of the subscriptions. Undefined in such a lane. */
  readonly ownLanes?: ReadonlyMap<AnyBatchSubscription<Context>, string>;
};

/** Owners are divided among so many shared lanes. */
const sharedLanes = 4;

const nameAt = (name: string, at: number): string => (at === 0 ? name : `${name}/${at}`);

/** The shared lane in which an event waits. All events of an owner are in one, and so keep their order. */
export const sharedLaneOf = ({ owner }: Recorded): string => nameAt('events', owner % sharedLanes);

/** All lanes: the shared ones, and those of the subscriptions. */
export function openLanes<Context>(subscriptions: readonly AnyBatchSubscription<Context>[]): Lane<Context>[] {
  return Array.from({ length: sharedLanes }, (_, at) => at).flatMap((at) => {
    const ownLanes = new Map(subscriptions.map((subscription) => [subscription, nameAt(subscription.name, at)]));
    const own = [...ownLanes].map(([subscription, name]): Lane<Context> => ({ name, subscriptions: [subscription] }));
    return [{ name: nameAt('events', at), subscriptions, ownLanes }, ...own];
  });
}
