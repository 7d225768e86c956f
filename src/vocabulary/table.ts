import type { Pair } from './words.ts';

/** Pairs of words, for lookups in both directions. */
export type Table = { readonly toVendor: ReadonlyMap<string, string>; readonly toNeutral: ReadonlyMap<string, string> };

export const tableOf = (pairs: readonly Pair[]): Table => ({
  toVendor: new Map(pairs),
  toNeutral: new Map(pairs.map(([neutral, vendor]) => [vendor, neutral])),
});

/** The direction of a translation: to the public API's words, or to neutral ones. */
export type Direction = keyof Table;

/** The translation of a word, or the word itself if both vocabularies use it. */
export const translated = (table: Table | undefined, direction: Direction, word: string): string =>
  table?.[direction].get(word) ?? word;
