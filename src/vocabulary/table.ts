import type { Pair } from './words.ts';

/** A list of pairs, to look up from either side. */
export type Table = { readonly toVendor: ReadonlyMap<string, string>; readonly toNeutral: ReadonlyMap<string, string> };

export const tableOf = (pairs: readonly Pair[]): Table => ({
  toVendor: new Map(pairs),
  toNeutral: new Map(pairs.map(([neutral, vendor]) => [vendor, neutral])),
});

/** Which way a text goes: into the documents' words or into the public API's. */
export type Direction = keyof Table;

/** The word in the other vocabulary, or the word itself where both use it. */
export const translated = (table: Table | undefined, direction: Direction, word: string): string =>
  table?.[direction].get(word) ?? word;
