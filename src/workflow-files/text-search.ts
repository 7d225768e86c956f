/**
 * Whether a text contains another one, in linear time (Knuth-Morris-Pratt). The time of `String.includes` grows with the product
 * of both lengths.
 */
export function holdsText(text: string, wanted: string): boolean {
  if (wanted.length <= shortText) return text.includes(wanted);
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched++;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** For texts this short, the product doesn't matter. */
const shortText = 16;

/** For each prefix of a text, the length of the longest shorter prefix that it ends with. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
