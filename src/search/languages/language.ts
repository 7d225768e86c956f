import { trimEndOf } from '#lib/trim.ts';
import type { Table } from './generate.ts';
import data from './table.json' with { type: 'json' };

// The inferred type of the JSON import would have thousands of members.
const table: Table = data;

const lookUp = <T>(words: Record<string, T>, word: string): T | undefined =>
  Object.hasOwn(words, word) ? words[word] : undefined;
const nameOf = (index: number | undefined): string | undefined => (index === undefined ? undefined : table.names[index]);

/** The language with this name or alias, regardless of case. */
export const findLanguage = (word: string): string | undefined => nameOf(lookUp(table.aliases, word.trim().toLowerCase()));

const numbers = new Map(table.names.map((name, index) => [name, index]));

/** The group of a language: TypeScript for TSX. */
export const groupOf = (language: string): string | undefined => nameOf(table.groups[numbers.get(language) ?? -1]);

/** The colour of a language, in six hexadecimal digits. */
export const colorOfLanguage = (language: string): string | undefined => table.colors[numbers.get(language) ?? -1];

const counted = new Set(table.counted);

/** The language of a file in a repository's statistics; undefined for prose and data. */
export function countedLanguageOf(path: string): string | undefined {
  const language = languageOf(path, '');
  const number = language === undefined ? undefined : numbers.get(language);
  return language === undefined || number === undefined || !counted.has(number) ? undefined : (groupOf(language) ?? language);
}

const shebang = /^#![ \t]*(?:\S*\/)?(?:env[ \t]+(?:-\S+[ \t]+|[A-Za-z_]\w*=\S*[ \t]+)*)?(?:\S*\/)?([A-Za-z+#-]+[\d.]*)/;

/** The language of a file by its name, then its extension, then its first line. */
export function languageOf(path: string, firstLine: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const byName = lookUp(table.filenames, file);
  if (byName !== undefined) return nameOf(byName);
  for (const ending of endingsOf(file)) {
    const byEnding = lookUp(table.extensions, ending);
    if (byEnding !== undefined) return nameOf(byEnding);
  }
  const interpreter = shebang.exec(firstLine)?.[1];
  if (!interpreter) return undefined;
  return nameOf(lookUp(table.interpreters, interpreter) ?? lookUp(table.interpreters, trimEndOf(interpreter, '.0123456789')));
}

/** The extensions of a file name in lower case, the longest first: `d.ts`, then `ts`. */
export function endingsOf(file: string): string[] {
  const endings: string[] = [];
  const name = file.toLowerCase();
  if (/[\s\p{Cc}]/u.test(name.slice(name.indexOf('.') + 1))) return [];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    if (dot + 1 < name.length && endings.length < 8) endings.push(name.slice(dot + 1));
  }
  return endings;
}
