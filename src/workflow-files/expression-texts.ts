// Texts that contain expressions, `… ${{ expression }} …`.

/** Replaces each expression of a text. An unterminated expression and all text after it stay unchanged. */
export function replaceExpressions(text: string, replace: (expression: string, written: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('${{', at);
    const end = start < 0 ? -1 : endOfExpression(text, start + 3);
    if (end < 0) break;
    parts.push(text.slice(at, start), replace(text.slice(start + 3, end), text.slice(start, end + 2)));
    at = end + 2;
  }
  return at === 0 ? text : [...parts, text.slice(at)].join('');
}

/** The offset of the `}}` that ends an expression and isn't in a string; -1 if it is missing. */
function endOfExpression(text: string, from: number): number {
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") isInString = !isInString;
    else if (!isInString && text.startsWith('}}', at)) return at;
  }
  return -1;
}
