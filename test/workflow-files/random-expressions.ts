// Random expressions, the same in each run of the tests.

/** Numbers from 0 to below 1, by the generator mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Pick = <Item>(items: readonly Item[]) => Item;

export function picker(seed: number): Pick {
  const random = randomNumbers(seed);
  return <Item>(items: readonly Item[]) => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick');
    return item;
  };
}

const operators = ['==', '!=', '<', '<=', '>', '>=', '&&', '||'];
const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);

/** An expression of so many levels, of these leaves. */
export function randomExpression(pick: Pick, leaves: readonly string[], levels: number): string {
  if (levels === 0) return pick(leaves);
  const inner = () => randomExpression(pick, leaves, pick([0, levels - 1]));
  const forms = [
    () => `${inner()} ${pick(operators)} ${inner()}`,
    () => `(${inner()} ${pick(operators)} ${inner()})`,
    () => `!${pick(['', '!'])}(${inner()})`,
    () => `contains(${inner()}, ${inner()})`,
    () => `${pick(['startsWith', 'endsWith', 'STARTSWITH'])}(${inner()}, ${inner()})`,
    () => `format(${[inner(), ...times(pick([0, 1, 2, 3]), inner)].join(', ')})`,
    () => `join(${[inner(), ...times(pick([0, 1]), inner)].join(', ')})`,
    () => `toJSON(${inner()})`,
    () => `fromJSON(${inner()})`,
    () => `case(${[...times(pick([2, 4]), inner), inner()].join(', ')})`,
    () =>
      `${pick(leaves.filter((leaf) => leaf.startsWith('github')))}${pick(['.a', '.B', '.*', '.*.a', '.*.*', '[0]', '[1].a'])}`,
    () => `github[${inner()}]`,
    () => `(${inner()})[${inner()}]`,
    () => `fromJSON(toJSON(${inner()}))`,
  ];
  return pick(forms)();
}
