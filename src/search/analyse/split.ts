/** A part of a text, from `start` up to but excluding `end`, in UTF-16 units. */
export type Span = { start: number; end: number };

const asciiPart = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const part = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{N}+/gu;
const ascii = /^[\w]*$/;

/** Scripts without spaces. Their text is indexed by pairs of adjacent characters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** The parts of an identifier: words and numbers of `getUserName`, `get_user_name` and `HTTPServer2`. */
export function partsOf(identifier: string): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: text } of identifier.matchAll(ascii.test(identifier) ? asciiPart : part)) {
    spans.push({ start: index, end: index + text.length });
  }
  return spans;
}

/** The parts of an identifier in scripts without spaces. */
export function unspacedOf(identifier: string): Span[] {
  if (ascii.test(identifier)) return [];
  return [...identifier.matchAll(unspaced)].map(({ index, 0: text }) => ({ start: index, end: index + text.length }));
}

/** The pairs of adjacent characters of a text, or the text itself if it has one character. */
export function pairsOf(text: string): string[] {
  const characters = [...text];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
