import type { AnyBatchSubscription, Recorded } from './subscription.ts';

/**
 * A queue of events. One process at a time delivers them in batches, in order. In a shared lane, all subscriptions get a batch
 * together. A slow subscription gets its events in a lane of its own until it has caught up.
 */
export type Lane<Context> = {
  readonly name: string;
  readonly subscriptions: readonly AnyBatchSubscription<Context>[];
  /** The lane of each subscription. Undefined in such a lane. */
  readonly ownLanes?: ReadonlyMap<AnyBatchSubscription<Context>, string>;
};

/** The number of shared lanes that owners are distributed over. */
const sharedLanes = 4;

const nameAt = (name: string, at: number): string => (at === 0 ? name : `${name}/${at}`);

/** The shared lane for an event. All events of an owner are in one lane, which keeps their order. */
export const sharedLaneOf = ({ owner }: Recorded): string => nameAt('events', owner % sharedLanes);

/** All lanes: the shared lanes, and the lanes of the subscriptions. */
export function openLanes<Context>(subscriptions: readonly AnyBatchSubscription<Context>[]): Lane<Context>[] {
  return Array.from({ length: sharedLanes }, (_, at) => at).flatMap((at) => {
    const ownLanes = new Map(subscriptions.map((subscription) => [subscription, nameAt(subscription.name, at)]));
    const own = [...ownLanes].map(([subscription, name]): Lane<Context> => ({ name, subscriptions: [subscription] }));
    return [{ name: nameAt('events', at), subscriptions, ownLanes }, ...own];
  });
}
