import { isUtf8 } from 'node:buffer';
import { analyse, analyseAhead, fold, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { endingsOf, groupOf, languageOf } from '#search/languages/language.ts';
import { pairsOf } from '#search/word-pairs.ts';
import { definitionsOf } from './definitions.ts';
import { lexemeOf } from './lexemes.ts';
import { weightOf } from './weight.ts';

/** Document 1, rule 2: only files smaller than 384 KB are searched. */
export const maxFileSize = 384 * 1024;

/** The index row of a file. */
export type Document = {
  path: string;
  oid: string;
  size: number;
  weight: number;
  language: string | undefined;
  lexemes: string[];
  pairs: Buffer;
};

type SourceFile = { repositoryId: number; path: string; oid: string; data: Buffer };

const binaryCheckBytes = 8_000;

/** Whether a file is binary by git's rule: a NUL near the beginning. */
const isBinary = (data: Buffer): boolean => data.subarray(0, binaryCheckBytes).includes(0);

/** The text of a file: UTF-8, or otherwise Latin-1, which keeps ASCII identifiers readable. */
export const textOf = (data: Buffer): string => data.toString(isUtf8(data) ? 'utf8' : 'latin1');

/** Computes the index row of a file; undefined for a binary file. */
export async function documentOf({ repositoryId, path, oid, data }: SourceFile): Promise<Document | undefined> {
  if (isBinary(data)) return undefined;
  const text = textOf(data);
  await analyseAhead(text);
  const { lexemes, words } = analyse(text);
  const language = languageOf(path, text.slice(0, 200).split('\n', 1)[0] ?? '');
  for (const name of definitionsOf(text)) lexemes.push(lexemeOf.definition(fold(name)));
  lexemes.push(...pathLexemes(path), lexemeOf.repository(repositoryId));
  for (const name of language ? [language, groupOf(language)] : []) if (name) lexemes.push(lexemeOf.language(name));
  return {
    path,
    oid,
    size: data.length,
    weight: weightOf(path, words.length),
    language,
    lexemes,
    pairs: pairsOf(words),
  };
}

/** Longer extensions aren't indexed, since they may exceed PostgreSQL's limit on lexemes. */
const maxExtension = 100;

/** The lexemes of the words of a path, of the file name, and of its extensions. */
function pathLexemes(path: string): string[] {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const words = (text: string) => identifiersOf(text).flatMap(lexemesOf);
  const endings = endingsOf(file).filter((ending) => ending.length <= maxExtension);
  return [...words(path).map(lexemeOf.path), ...words(file).map(lexemeOf.name), ...endings.map(lexemeOf.extension)];
}
