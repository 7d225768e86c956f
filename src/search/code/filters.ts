import { type RawBuilder, sql } from 'kysely';
import { fold, identifiersOf } from '#search/analyse/analyse.ts';
import { findLanguage } from '#search/languages/language.ts';
import { both, either, type LexemeQuery, lexeme, never, not } from '#search/lexeme-query.ts';
import { type Filter, valuesOf } from '#search/query/filters.ts';
import { lexemeOf } from './lexemes.ts';
import type { Places } from './terms.ts';

/** What the qualifiers about files ask for: as lexemes where the index can answer, else as conditions on the row. */
export type FileFilter = { lexemes: LexemeQuery; condition: RawBuilder<unknown> };

/** Turns the qualifiers about files into conditions. Those about repositories belong to the scope. */
export function fileFilter(filters: readonly Filter[]): FileFilter {
  const texts = (name: string, negated: boolean) => valuesOf(filters, { name, type: 'text', negated }).map(({ text }) => text);
  const oneOf = (name: string, turn: (text: string) => LexemeQuery): LexemeQuery[] => [
    ...(texts(name, false).length > 0 ? [either(texts(name, false).map(turn))] : []),
    ...texts(name, true).map((text) => not(turn(text))),
  ];
  const conditions = [
    ...texts('path', false).map(inPath),
    ...texts('path', true).map((text) => sql`not ${inPath(text)}`),
    ...(texts('filename', false).length > 0 ? [sql`(${sql.join(texts('filename', false).map(inName), sql` or `)})`] : []),
    ...texts('filename', true).map((text) => sql`not ${inName(text)}`),
    ...valuesOf(filters, { name: 'size', type: 'number', negated: false }).map(ofSize),
    ...valuesOf(filters, { name: 'size', type: 'number', negated: true }).map((range) => sql`not ${ofSize(range)}`),
  ];
  return {
    lexemes: both([...oneOf('language', ofLanguage), ...oneOf('extension', ofExtension), ...texts('path', false).map(pathWords)]),
    condition: conditions.length > 0 ? sql`(${sql.join(conditions, sql` and `)})` : sql`true`,
  };
}

/** `in:file`, `in:path`; both without it. Excluding one leaves the other. */
export function placesOf(filters: readonly Filter[]): Places {
  const named = valuesOf(filters, { name: 'in', type: 'set', negated: false }).flatMap(({ words }) => words);
  const left = valuesOf(filters, { name: 'in', type: 'set', negated: true }).flatMap(({ words }) => words);
  const has = (place: string) => (named.length === 0 || named.includes(place)) && !left.includes(place);
  return { file: has('file'), path: has('path') };
}

function ofLanguage(text: string): LexemeQuery {
  const language = findLanguage(text);
  return language ? lexeme(lexemeOf.language(language)) : never;
}

const ofExtension = (text: string): LexemeQuery => lexeme(lexemeOf.extension(text.replace(/^\./, '').toLowerCase()));

const ofSize = ({ min, max }: { min?: number; max?: number }): RawBuilder<unknown> =>
  sql`size between ${Math.min(min ?? 0, 2 ** 31 - 1)} and ${Math.min(max ?? 2 ** 31 - 1, 2 ** 31 - 1)}`;

const pattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
const trimmed = (text: string): string => text.trim().replace(/^\/+|\/+$/g, '');

/** `path:/` is the top folder; otherwise whole folders or files that follow one another, anywhere in the path. */
function inPath(text: string): RawBuilder<unknown> {
  const wanted = trimmed(text);
  if (wanted === '') return sql`(position('/' in path) = 0)`;
  return sql`('/' || lower(path) || '/' like lower(${`%/${pattern(wanted)}/%`}))`;
}

const pathWords = (text: string): LexemeQuery =>
  both(identifiersOf(trimmed(text)).map((word) => lexeme(lexemeOf.path(fold(word)))));

/** A file whose name holds this text. */
const inName = (text: string): RawBuilder<unknown> =>
  sql`(lower(regexp_replace(path, '^.*/', '')) like lower(${`%${pattern(text.trim())}%`}))`;
