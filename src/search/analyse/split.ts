/** A piece of a text: from `start`, before `end`, in UTF-16 units. */
export type Span = { start: number; end: number };

const asciiPart = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const part = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{N}+/gu;
const ascii = /^[\w]*$/;

/** Scripts written without blanks: their words are found by each two neighbouring characters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Where the parts of an identifier stand: `getUserName`, `get_user_name` and `HTTPServer2` by their words and numbers. */
export function partsOf(identifier: string): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: text } of identifier.matchAll(ascii.test(identifier) ? asciiPart : part)) {
    spans.push({ start: index, end: index + text.length });
  }
  return spans;
}

/** The stretches of a script without blanks in an identifier. */
export function unspacedOf(identifier: string): Span[] {
  if (ascii.test(identifier)) return [];
  return [...identifier.matchAll(unspaced)].map(({ index, 0: text }) => ({ start: index, end: index + text.length }));
}

/** The two-character pieces of such a stretch, or the stretch itself when it is one character. */
export function pairsOf(stretch: string): string[] {
  const characters = [...stretch];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
