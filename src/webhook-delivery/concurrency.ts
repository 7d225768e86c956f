import { grouped } from '#lib/collections.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { DueHook, Share, Taken } from './take.ts';

/**
 * What is known of a hook: its last delivery succeeded, or failed, or this process has sent it none yet. Failures are known from the
 * database, so that other processes, and this one after a restart, know of them.
 */
const standings = ['failing', 'unknown', 'proven'] as const;
type Standing = (typeof standings)[number];

/** The part of the places that hooks of a standing, and of those before it, may hold together: the others always find some. */
const parts: Record<Standing, number> = { failing: 1 / 2, unknown: 3 / 4, proven: 1 };

/** How many hooks and owners are remembered. Who is forgotten is unknown again. */
const remembered = 4_096;

type Counts = Record<Standing, number>;
type HookState = { limit: number; running: number };
type OwnerState = { running: Counts; bytes: number };

/** What is counted of a delivery under way. */
export type Underway = Pick<Taken, 'owner_id' | 'hook_id' | 'failures' | 'bytes'>;

/** The deliveries that may begin now, by owner and hook, and the bytes that their payloads may have together. */
export type Admitted = { shares: Share[]; bytes: number };

const none = (): Counts => ({ failing: 0, unknown: 0, proven: 0 });
const sum = ({ failing, unknown, proven }: Counts): number => failing + unknown + proven;

/** Whether one more delivery of a standing fits into a number of places. */
function fits(running: Counts, standing: Standing, places: number): boolean {
  let total = 0;
  return standings.every((each) => {
    total += running[each];
    const counts = standings.indexOf(each) >= standings.indexOf(standing);
    return !counts || total < Math.max(1, Math.floor(places * parts[each]));
  });
}

/**
 * Decides which deliveries begin. Owners take turns, and so do the hooks of one owner. Each owner may hold a part of the places, so
 * that one whose receivers all hang leaves the others theirs. A hook may have one delivery under way until it has answered, then
 * twice as many after each success.
 */
export function deliveryConcurrency(limits: ResourceLimits['webhooks']) {
  const hooks = new Map<number, HookState>();
  const owners = new Map<number, OwnerState>();
  /** The hook of each owner whose turn was last. */
  const lastHook = new Map<number, number>();
  let lastOwner = 0;
  const running = none();
  let bytes = 0;

  const standingOf = ({ hook_id, failures }: Pick<Underway, 'hook_id' | 'failures'>): Standing => {
    if (failures > 0) return 'failing';
    return (hooks.get(hook_id)?.limit ?? 1) > 1 ? 'proven' : 'unknown';
  };
  const freePlacesOf = (hook: DueHook): number => {
    const { limit, running: own } = hooks.get(hook.hook_id) ?? { limit: 1, running: 0 };
    return (standingOf(hook) === 'proven' ? limit : 1) - own;
  };
  const ownerOf = (owner: number): OwnerState => owners.get(owner) ?? { running: none(), bytes: 0 };
  const ownerBytes = (owner: number): number => limits.payloadsPerOwner - ownerOf(owner).bytes;

  /** The due hooks of each owner, in the order of their turns. */
  const queuesOf = (due: readonly DueHook[]) => {
    const byOwner = [...grouped(due, ({ owner_id }) => owner_id)].sort(([one], [other]) => one - other);
    return rotated(byOwner, ([owner]) => owner > lastOwner).map(([owner, its]) => {
      const last = lastHook.get(owner) ?? 0;
      const sorted = its.toSorted((one, other) => one.hook_id - other.hook_id);
      return { owner, running: { ...ownerOf(owner).running }, hooks: rotated(sorted, ({ hook_id }) => hook_id > last) };
    });
  };

  const admit = (due: readonly DueHook[]): Admitted => {
    const shares = new Map<string, Share>();
    const free = new Map<number, number>();
    const together = { ...running };
    let queues = queuesOf(due);
    while (queues.length > 0) {
      for (const queue of queues) {
        const hook = firstOf(queue.hooks, (one) => {
          const standing = standingOf(one);
          return (
            (free.get(one.hook_id) ?? freePlacesOf(one)) > 0 &&
            fits(together, standing, limits.concurrent) &&
            fits(queue.running, standing, limits.concurrentPerOwner)
          );
        });
        if (!hook) continue;
        const standing = standingOf(hook);
        free.set(hook.hook_id, (free.get(hook.hook_id) ?? freePlacesOf(hook)) - 1);
        together[standing]++;
        queue.running[standing]++;
        queue.hooks.push(hook); // its next turn comes after those of the others
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
    /** Whether nothing may begin at all. */
    get isFull(): boolean {
      return sum(running) >= limits.concurrent || bytes >= limits.payloadsTogether;
    },
    /** Owners of whom nothing may begin. */
    fullOwners: (): number[] =>
      [...owners.keys()].filter((owner) => sum(ownerOf(owner).running) >= limits.concurrentPerOwner || ownerBytes(owner) <= 0),
    admit,
    /** Counts a delivery that begins. To be called with its outcome when it ends. */
    begin(delivery: Underway): (how: 'succeeded' | 'failed') => void {
      const { owner_id, hook_id, bytes: size } = delivery;
      const standing = standingOf(delivery);
      const owner = ownerOf(owner_id);
      const hook = hooks.get(hook_id) ?? { limit: 1, running: 0 };
      owners.set(owner_id, owner);
      hooks.set(hook_id, hook);
      bytes += size;
      running[standing]++;
      owner.bytes += size;
      owner.running[standing]++;
      hook.running++;
      return (how) => {
        bytes -= size;
        running[standing]--;
        owner.bytes -= size;
        owner.running[standing]--;
        hook.running--;
        hook.limit = how === 'failed' ? 1 : Math.min(hook.limit * 2, limits.concurrentPerHook);
        if (sum(owner.running) === 0) owners.delete(owner_id);
        if (hook.running === 0 && hooks.size > remembered) hooks.delete(hook_id);
      };
    },
  };
}

/** A list that begins with the first of those that are `later`, and ends with those before it. */
function rotated<Thing>(things: readonly Thing[], later: (thing: Thing) => boolean): Thing[] {
  const at = things.findIndex(later);
  return at <= 0 ? [...things] : [...things.slice(at), ...things.slice(0, at)];
}

/** Takes hooks from the front of a queue until one may begin. The others leave the queue. */
function firstOf(queue: DueHook[], mayBegin: (hook: DueHook) => boolean): DueHook | undefined {
  for (let hook = queue.shift(); hook; hook = queue.shift()) if (mayBegin(hook)) return hook;
  return undefined;
}

function remember(map: Map<number, number>, key: number, value: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > remembered && oldest !== undefined) map.delete(oldest);
}
