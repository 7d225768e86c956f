/** The distinct values, in order of first appearance, without null and undefined. */
export const unique = <T>(values: Iterable<T | null | undefined>): T[] => {
  const seen = new Set<T>();
  for (const value of values) if (value !== null && value !== undefined) seen.add(value);
  return [...seen];
};

/** A map from each row's key to the row. */
export const keyed = <Row, Key>(rows: Iterable<Row>, key: (row: Row) => Key): Map<Key, Row> => {
  const map = new Map<Key, Row>();
  for (const row of rows) map.set(key(row), row);
  return map;
};

/** A map from each key to its rows, in their order. */
export const grouped = <Row, Key>(rows: Iterable<Row>, key: (row: Row) => Key): Map<Key, Row[]> => {
  const map = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = map.get(key(row));
    if (group) group.push(row);
    else map.set(key(row), [row]);
  }
  return map;
};

/** Each row with the row at the same index of another list, up to the end of the shorter list. */
export const pairs = <One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] =>
  ones.slice(0, others.length).map((one, at): [One, Other] => [one, others[at] as Other]);

/** The rows in parts of at most `size`. */
export const chunks = <Row>(rows: readonly Row[], size: number): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));

/** The rows in rounds: the first row of every key, then the second row of every key that has one, and so on. */
export function rounds<Row, Key>(rows: Iterable<Row>, key: (row: Row) => Key): Row[][] {
  const found: Row[][] = [];
  for (const own of grouped(rows, key).values())
    for (const [at, row] of own.entries()) {
      const round = found[at];
      if (round) round.push(row);
      else found[at] = [row];
    }
  return found;
}

/** The value of a key that the map must have. @throws Error if it is missing, which is a fault of the server. */
export const getOrThrow = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value => {
  const value = map.get(key);
  if (value === undefined) throw new Error(`Nothing was loaded for ${String(key)}`);
  return value;
};

/** The value of a key; undefined if there is no key or no value. */
export const getOptional = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key | null | undefined): Value | undefined =>
  key === null || key === undefined ? undefined : map.get(key);

/**
 * The distinct values of these fields in all rows: `gather(issues, 'author_id', 'closed_by')` are the ids of the accounts to
 * load.
 */
export const gather = <Row, Field extends keyof Row>(rows: Iterable<Row>, ...fields: readonly Field[]): Row[Field][] =>
  [...rows].flatMap((row) => fields.map((field) => row[field]));

/** Computes a value from each object once, and caches it as long as the object lives. */
export function oncePerObject<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key);
    if (known) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}

/** The entries of `record` whose value isn't undefined. */
export const defined = <T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/** The former values of the given fields, if the change made them different. */
export const formerOf = <Row, Field extends keyof Row>(
  before: Row,
  after: Row,
  ...fields: readonly Field[]
): { [K in Field]?: Row[K] } =>
  Object.fromEntries(fields.filter((field) => before[field] !== after[field]).map((field) => [field, before[field]])) as {
    [K in Field]?: Row[K]; // only the given fields
  };
