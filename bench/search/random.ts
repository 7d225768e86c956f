/** A small seeded generator (mulberry32): the same seed gives the same corpus and the same queries on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `count` of the values, each at most once, in a seeded order. */
export function sample<T>(values: readonly T[], count: number, random: () => number): T[] {
  const pool = [...values];
  const taken: T[] = [];
  while (taken.length < count && pool.length > 0) {
    const at = Math.floor(random() * pool.length);
    taken.push(...pool.slice(at, at + 1));
    pool[at] = pool[pool.length - 1] as T; // in range: the pool isn't empty
    pool.pop();
  }
  return taken;
}

/** A number from a text, the same everywhere. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
