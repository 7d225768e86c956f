const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
const token = /\\([0-7]{3})|\\(.)|([^\\]+)/gs;

/** Decodes a path that Git has quoted in its line-based output: `"a\tb\303\244"`. Other paths are returned unchanged. */
export function unquotePath(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  const parts: Buffer[] = [];
  for (const [, octal, letter, plain] of text.slice(1, -1).matchAll(token)) {
    if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8) & 255]));
    else if (letter !== undefined) parts.push(Buffer.from([escapes[letter] ?? letter.charCodeAt(0)]));
    else parts.push(Buffer.from(plain ?? ''));
  }
  return Buffer.concat(parts).toString('utf8');
}
