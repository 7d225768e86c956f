/**
 * Whether a text holds another one, in a time that grows with both lengths alone (the method of Knuth, Morris and Pratt). That of
 * `String.includes` grows with their product.
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

/** The product doesn't matter for texts that are this short. */
const shortText = 16;

/** For each beginning of a text: the length of the longest shorter beginning that it ends with. */
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
