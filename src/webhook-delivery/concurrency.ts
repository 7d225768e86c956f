import { grouped } from '#lib/collections.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { deliveryLimits } from './limits.ts';
import type { DueHook, LeasedDelivery, Share } from './take.ts';

/**
 * The health of a webhook: its last delivery failed (failing), this process has sent it none yet (unknown), or the last one
 * succeeded (proven). Failures are stored in the database, so that all processes know them, even after a restart.
 */
const healthStates = ['failing', 'unknown', 'proven'] as const;
type Health = (typeof healthStates)[number];

/** The share of slots that webhooks of this health or worse may use together, which leaves some for the others. */
const shares: Record<Health, number> = { failing: 1 / 2, unknown: 3 / 4, proven: 1 };

/** The maximum number of webhooks and owners in memory. Others are treated as unknown. */
const maxRemembered = 4_096;

type Counts = Record<Health, number>;
type HookState = { limit: number; running: number };
type OwnerState = { running: Counts; bytes: number };

/** A running delivery, for the counters. */
type RunningDelivery = Pick<LeasedDelivery, 'owner_id' | 'hook_id' | 'failures' | 'bytes'>;

/** The deliveries that may begin now, by owner and webhook, and the maximum total size of their payloads in bytes. */
type Admission = { shares: Share[]; bytes: number };

const noCounts = (): Counts => ({ failing: 0, unknown: 0, proven: 0 });
const sum = ({ failing, unknown, proven }: Counts): number => failing + unknown + proven;

/** Whether one more delivery to a webhook of this health fits into a number of slots. */
function hasFreeSlot(running: Counts, health: Health, slots: number): boolean {
  let total = 0;
  return healthStates.every((each) => {
    total += running[each];
    const counts = healthStates.indexOf(each) >= healthStates.indexOf(health);
    return !counts || total < Math.max(1, Math.floor(slots * shares[each]));
  });
}

/**
 * Decides which deliveries begin. Owners are served round-robin, and so are the webhooks of one owner. Each owner may use a part
 * of the slots, so that an owner with unresponsive receivers leaves slots for the others. A webhook may have one running delivery
 * at first, then twice as many after each success (slow start).
 */
export function deliveryConcurrency(limits: LimitValues<typeof deliveryLimits>) {
  const hooks = new Map<number, HookState>();
  const owners = new Map<number, OwnerState>();
  /** The webhook of each owner that was served last. */
  const lastHook = new Map<number, number>();
  let lastOwner = 0;
  const running = noCounts();
  let bytes = 0;

  const healthOf = ({ hook_id, failures }: Pick<RunningDelivery, 'hook_id' | 'failures'>): Health => {
    if (failures > 0) return 'failing';
    return (hooks.get(hook_id)?.limit ?? 1) > 1 ? 'proven' : 'unknown';
  };
  const freeSlotsOf = (hook: DueHook): number => {
    const { limit, running: own } = hooks.get(hook.hook_id) ?? { limit: 1, running: 0 };
    return (healthOf(hook) === 'proven' ? limit : 1) - own;
  };
  const ownerOf = (owner: number): OwnerState => owners.get(owner) ?? { running: noCounts(), bytes: 0 };
  const ownerBytes = (owner: number): number => limits.payloadsPerOwner - ownerOf(owner).bytes;

  /** The due webhooks of each owner, in serving order. */
  const queuesOf = (due: readonly DueHook[]) => {
    const byOwner = [...grouped(due, ({ owner_id }) => owner_id)].sort(([one], [other]) => one - other);
    return rotate(byOwner, ([owner]) => owner > lastOwner).map(([owner, hooksOfOwner]) => {
      const last = lastHook.get(owner) ?? 0;
      const sorted = hooksOfOwner.toSorted((one, other) => one.hook_id - other.hook_id);
      return { owner, running: { ...ownerOf(owner).running }, hooks: rotate(sorted, ({ hook_id }) => hook_id > last) };
    });
  };

  const admit = (due: readonly DueHook[]): Admission => {
    const shares = new Map<string, Share>();
    const free = new Map<number, number>();
    const planned = { ...running };
    let queues = queuesOf(due);
    while (queues.length > 0) {
      for (const queue of queues) {
        const hook = takeFirst(queue.hooks, (one) => {
          const health = healthOf(one);
          return (
            (free.get(one.hook_id) ?? freeSlotsOf(one)) > 0 &&
            hasFreeSlot(planned, health, limits.concurrent) &&
            hasFreeSlot(queue.running, health, limits.concurrentPerOwner)
          );
        });
        if (!hook) continue;
        const health = healthOf(hook);
        free.set(hook.hook_id, (free.get(hook.hook_id) ?? freeSlotsOf(hook)) - 1);
        planned[health]++;
        queue.running[health]++;
        queue.hooks.push(hook); // moves it to the end of the rotation
        const key = `${queue.owner}:${hook.hook_id}`;
        const count = shares.get(key)?.count ?? 0;
        shares.set(key, { owner: queue.owner, hook: hook.hook_id, count: count + 1, ownerBytes: ownerBytes(queue.owner) });
        remember(lastHook, queue.owner, hook.hook_id);
        lastOwner = queue.owner;
      }
      queues = queues.filter(({ hooks: left }) => left.length > 0);
    }
    return { shares: [...shares.values()], bytes: limits.payloadsTogether - bytes };
  };

  return {
    /** Whether no delivery may begin. */
    get isFull(): boolean {
      return sum(running) >= limits.concurrent || bytes >= limits.payloadsTogether;
    },
    /** Owners for whom no delivery may begin. */
    fullOwners: (): number[] =>
      [...owners.keys()].filter((owner) => sum(ownerOf(owner).running) >= limits.concurrentPerOwner || ownerBytes(owner) <= 0),
    admit,
    /** Counts a delivery that begins. Returns a function to call with its result. */
    begin(delivery: RunningDelivery): (result: 'succeeded' | 'failed') => void {
      const { owner_id, hook_id, bytes: size } = delivery;
      const health = healthOf(delivery);
      const owner = ownerOf(owner_id);
      const hook = hooks.get(hook_id) ?? { limit: 1, running: 0 };
      owners.set(owner_id, owner);
      hooks.set(hook_id, hook);
      bytes += size;
      running[health]++;
      owner.bytes += size;
      owner.running[health]++;
      hook.running++;
      return (result) => {
        bytes -= size;
        running[health]--;
        owner.bytes -= size;
        owner.running[health]--;
        hook.running--;
        hook.limit = result === 'failed' ? 1 : Math.min(hook.limit * 2, limits.concurrentPerHook);
        if (sum(owner.running) === 0) owners.delete(owner_id);
        if (hook.running === 0 && hooks.size > maxRemembered) hooks.delete(hook_id);
      };
    },
  };
}

/** Rotates a list so that it begins with the first item for which `isNext` is true. */
function rotate<Item>(items: readonly Item[], isNext: (item: Item) => boolean): Item[] {
  const at = items.findIndex(isNext);
  return at <= 0 ? [...items] : [...items.slice(at), ...items.slice(0, at)];
}

/** Removes webhooks from the front of a queue until one may begin a delivery. */
function takeFirst(queue: DueHook[], canBegin: (hook: DueHook) => boolean): DueHook | undefined {
  for (let hook = queue.shift(); hook; hook = queue.shift()) if (canBegin(hook)) return hook;
  return undefined;
}

function remember(map: Map<number, number>, key: number, value: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxRemembered && oldest !== undefined) map.delete(oldest);
}
