/** The characters of Unicode's categories up to U+FFFF, in the syntax of a character class. */
const categories = new Map([
  ['Cc', String.raw`\u0000-\u001f\u007f-\u009f`],
  [
    'Cf',
    String.raw`\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f` +
      String.raw`\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb`,
  ],
  ['Z', String.raw`\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`],
]);

/**
 * A pattern with the characters of Unicode's categories in place of their names. Regular expressions of other languages, and
 * JavaScript's without the flag `u`, don't support the names. `\p{…}` must be inside a class and `\P{…}` outside.
 */
export const portablePattern = (pattern: string): string =>
  pattern
    .replace(/\\P\{(\w+)\}/g, (_, name: string) => `[^${charactersOf(name)}]`)
    .replace(/\\p\{(\w+)\}/g, (_, name: string) => charactersOf(name));

function charactersOf(name: string): string {
  const characters = categories.get(name);
  if (characters === undefined) throw new Error(`The category ${name} is not known`);
  return characters;
}
