declare const table: unique symbol;

/** A row's id with its table as a brand, so that a repository's id can't be passed as a team's. */
export type Id<Table extends string> = number & { readonly [table]: Table };

export type RepositoryId = Id<'repositories'>;

/** Brands a number that is known to be an id of `Table`: a parsed path word, or a value from SQL that Kysely can't type. */
export const asId = <Table extends string>(value: number): Id<Table> => value as Id<Table>;

/** The largest id that JSON and JavaScript represent exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/**
 * The opaque `node_id` of an object: `kind:id` in base64, like the public API's older form. Clients must not interpret it. It is
 * stable for the life of the object.
 */
export function nodeId(kind: string, id: number | string): string {
  const plain = `0${kind.length}:${kind}${id}`;
  // The text of a number is ASCII, and `btoa` is four times as fast.
  return typeof id === 'number' ? btoa(plain) : Buffer.from(plain).toString('base64');
}
