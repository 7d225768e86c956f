// Parts of workflow files in source form, as plain data that threads can exchange.

/** A JSON value. Expressions and workflow files have these values. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A part of a workflow file, with unevaluated expressions. Lines count from 1. */
export type Token = { readonly line: number } & (
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  | { readonly kind: 'sequence'; readonly items: readonly Token[] }
  | { readonly kind: 'mapping'; readonly entries: readonly TokenEntry[] }
  | { readonly kind: 'expression'; readonly expression: string }
);

type TokenEntry = { readonly key: Token; readonly value: Token };

/** A nested part, by the names that lead to it; undefined if it doesn't exist. */
export const findPart = (token: Token | undefined, ...names: readonly string[]): Token | undefined =>
  names.reduce<Token | undefined>((at, name) => entriesOf(at).find(({ key }) => keyText(key) === name)?.value, token);

/** The entries of a mapping; empty for other parts. */
export const entriesOf = (token: Token | undefined): readonly TokenEntry[] => (token?.kind === 'mapping' ? token.entries : []);

/** The items of a sequence; empty for other parts. */
export const itemsOf = (token: Token | undefined): readonly Token[] => (token?.kind === 'sequence' ? token.items : []);

/** The source text of a key. */
export const keyText = (key: Token): string => {
  if (key.kind === 'scalar') return String(key.value ?? '');
  return key.kind === 'expression' ? `\${{ ${key.expression} }}` : '';
};

/** The number of values, lists, mappings and keys in a part, including itself. */
export function countParts(token: Token): number {
  if (token.kind === 'sequence') return token.items.reduce((sum, item) => sum + countParts(item), 1);
  if (token.kind === 'mapping')
    return token.entries.reduce((sum, { key, value }) => sum + countParts(key) + countParts(value), 1);
  return 1;
}

/** Whether a text in a value contains a NUL character, which PostgreSQL can't store. */
export function hasNul(value: Json): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, one]) => name.includes('\0') || hasNul(one));
}
