import { grouped } from '#lib/collections.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { DueHook, Share, Taken } from './take.ts';

/** How many deliveries a hook may have under way before it has answered once. */
const firstLimit = 8;
/** How many hooks and owners are remembered. Who is forgotten begins anew, failing hooks by what the database knows of them. */
const remembered = 4_096;

type HookState = { limit: number; running: number };
type OwnerState = { running: number; bytes: number };

/** What is counted of a delivery under way. */
export type Underway = Pick<Taken, 'owner_id' | 'hook_id' | 'failures' | 'bytes'>;

/** The deliveries that may begin now, by owner and hook, and the bytes that their payloads may have together. */
export type Admitted = { shares: Share[]; bytes: number };

/**
 * Decides which deliveries begin. Owners take turns, and so do the hooks of one owner. Each owner may hold a part of the places, so
 * that one whose receivers all hang leaves the others theirs. A hook may have few under way at first, twice as many after each
 * success, and one while it fails.
 */
export function deliveryConcurrency(limits: ResourceLimits['webhooks']) {
  const hooks = new Map<number, HookState>();
  const owners = new Map<number, OwnerState>();
  /** The hook of each owner whose turn was last. */
  const lastHook = new Map<number, number>();
  let lastOwner = 0;
  let running = 0;
  let failing = 0;
  let bytes = 0;

  const hookLimit = ({ hook_id, failures }: { hook_id: number; failures: number }): number =>
    failures > 0 ? 1 : Math.min(hooks.get(hook_id)?.limit ?? firstLimit, limits.concurrentPerHook);
  const ownerBytes = (owner: number): number => limits.payloadsPerOwner - (owners.get(owner)?.bytes ?? 0);
  const ownerRoom = (owner: number): number =>
    ownerBytes(owner) <= 0 ? 0 : limits.concurrentPerOwner - (owners.get(owner)?.running ?? 0);

  /** The hooks of each owner that have room, in the order of their turns. */
  const queuesOf = (due: readonly DueHook[]): { owner: number; room: number; hooks: DueHook[] }[] => {
    const byOwner = [...grouped(due, ({ owner_id }) => owner_id)].sort(([one], [other]) => one - other);
    return rotated(byOwner, ([owner]) => owner > lastOwner).map(([owner, its]) => {
      const last = lastHook.get(owner) ?? 0;
      const sorted = its.toSorted((one, other) => one.hook_id - other.hook_id);
      return { owner, room: ownerRoom(owner), hooks: rotated(sorted, ({ hook_id }) => hook_id > last) };
    });
  };

  const admit = (due: readonly DueHook[]): Admitted => {
    const shares = new Map<string, Share>();
    const hookRoom = new Map<number, number>();
    const roomOf = (hook: DueHook): number =>
      hookRoom.get(hook.hook_id) ?? hookLimit(hook) - (hooks.get(hook.hook_id)?.running ?? 0);
    let free = limits.concurrent - running;
    let freeForFailing = limits.concurrentFailing - failing;
    let queues = queuesOf(due);
    while (free > 0 && queues.length > 0) {
      for (const queue of queues) {
        if (free <= 0) break;
        const hook = nextWithRoom(queue.hooks, (one) => roomOf(one) > 0 && (one.failures === 0 || freeForFailing > 0));
        if (!hook || queue.room <= 0) {
          queue.hooks.length = 0;
          continue;
        }
        hookRoom.set(hook.hook_id, roomOf(hook) - 1);
        queue.room--;
        free--;
        if (hook.failures > 0) freeForFailing--;
        queue.hooks.push(hook); // its next turn comes after those of the others
        const key = `${queue.owner}:${hook.hook_id}`;
        const share = shares.get(key) ?? {
          owner: queue.owner,
          hook: hook.hook_id,
          count: 0,
          ownerBytes: ownerBytes(queue.owner),
        };
        shares.set(key, { ...share, count: share.count + 1 });
        remember(lastHook, queue.owner, hook.hook_id);
        lastOwner = queue.owner;
      }
      queues = queues.filter(({ hooks: left }) => left.length > 0);
    }
    return { shares: [...shares.values()], bytes: limits.payloadsTogether - bytes };
  };

  return {
    /** Whether deliveries may begin at all. */
    get isFull(): boolean {
      return running >= limits.concurrent || bytes >= limits.payloadsTogether;
    },
    /** Owners of whom nothing more may begin. */
    fullOwners: (): number[] => [...owners.keys()].filter((owner) => ownerRoom(owner) <= 0),
    admit,
    /** Counts a delivery that begins. */
    begin({ owner_id, hook_id, failures, bytes: size }: Underway): void {
      running++;
      bytes += size;
      if (failures > 0) failing++;
      const owner = owners.get(owner_id) ?? { running: 0, bytes: 0 };
      owners.set(owner_id, { running: owner.running + 1, bytes: owner.bytes + size });
      const hook = hooks.get(hook_id) ?? { limit: firstLimit, running: 0 };
      hooks.set(hook_id, { ...hook, running: hook.running + 1 });
    },
    /** Counts the end of a delivery. */
    end({ owner_id, hook_id, failures, bytes: size }: Underway, how: 'succeeded' | 'failed'): void {
      running--;
      bytes -= size;
      if (failures > 0) failing--;
      const owner = owners.get(owner_id) ?? { running: 1, bytes: size };
      if (owner.running <= 1) owners.delete(owner_id);
      else owners.set(owner_id, { running: owner.running - 1, bytes: owner.bytes - size });
      const hook = hooks.get(hook_id) ?? { limit: firstLimit, running: 1 };
      const limit = how === 'failed' ? 1 : Math.min(hook.limit * 2, limits.concurrentPerHook);
      hooks.set(hook_id, { limit, running: hook.running - 1 });
      if (hook.running <= 1 && hooks.size > remembered) hooks.delete(hook_id);
    },
  };
}

export type DeliveryConcurrency = ReturnType<typeof deliveryConcurrency>;

/** A list that begins with the first of those that are `later`, and ends with those before it. */
function rotated<Thing>(things: readonly Thing[], later: (thing: Thing) => boolean): Thing[] {
  const at = things.findIndex(later);
  return at <= 0 ? [...things] : [...things.slice(at), ...things.slice(0, at)];
}

/** Takes hooks from the front of a queue until one has room. The others leave the queue. */
function nextWithRoom(queue: DueHook[], hasRoom: (hook: DueHook) => boolean): DueHook | undefined {
  for (let hook = queue.shift(); hook; hook = queue.shift()) if (hasRoom(hook)) return hook;
  return undefined;
}

function remember(map: Map<number, number>, key: number, value: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > remembered && oldest !== undefined) map.delete(oldest);
}
