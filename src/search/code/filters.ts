import { type RawBuilder, sql } from 'kysely';
import { trimOf } from '#lib/trim.ts';
import { fold, identifiersOf } from '#search/analyse/analyse.ts';
import { findLanguage } from '#search/languages/language.ts';
import { both, either, type LexemeQuery, lexeme, never, not } from '#search/lexeme-query.ts';
import { type Filter, valuesOf } from '#search/query/filters.ts';
import { lexemeOf } from './lexemes.ts';
import type { SearchedFields } from './terms.ts';

/** The conditions of qualifiers about files: lexemes if the index supports them, otherwise a condition on the row. */
type FileFilter = { lexemes: LexemeQuery; condition: RawBuilder<unknown> };

/** The conditions of the qualifiers about files. The scope handles qualifiers about repositories. */
export function fileFilter(filters: readonly Filter[]): FileFilter {
  const texts = (name: string, negated: boolean) => valuesOf(filters, { name, type: 'text', negated }).map(({ text }) => text);
  const oneOf = (name: string, lexemesOfText: (text: string) => LexemeQuery): LexemeQuery[] => [
    ...(texts(name, false).length > 0 ? [either(texts(name, false).map(lexemesOfText))] : []),
    ...texts(name, true).map((text) => not(lexemesOfText(text))),
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

/** The fields of `in:`, or both without it. `-in:` excludes a field. */
export function searchedFieldsOf(filters: readonly Filter[]): SearchedFields {
  const named = valuesOf(filters, { name: 'in', type: 'set', negated: false }).flatMap(({ words }) => words);
  const excluded = valuesOf(filters, { name: 'in', type: 'set', negated: true }).flatMap(({ words }) => words);
  const has = (field: string) => (named.length === 0 || named.includes(field)) && !excluded.includes(field);
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
const trimmed = (text: string): string => trimOf(text.trim(), '/');

/** `path:/` matches files in the root folder; otherwise whole consecutive folder or file names anywhere in the path. */
function inPath(text: string): RawBuilder<unknown> {
  const path = trimmed(text);
  if (path === '') return sql`(position('/' in path) = 0)`;
  return sql`('/' || lower(path) || '/' like lower(${`%/${pattern(path)}/%`}))`;
}

const pathWords = (text: string): LexemeQuery =>
  both(identifiersOf(trimmed(text)).map((word) => lexeme(lexemeOf.path(fold(word)))));

/** A file whose name contains this text. */
const inName = (text: string): RawBuilder<unknown> =>
  sql`(lower(regexp_replace(path, '^.*/', '')) like lower(${`%${pattern(text.trim())}%`}))`;
