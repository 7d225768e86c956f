// Patterns of paths in files of code owners.
import { type Pattern, segmentOf, star } from '#lib/path-pattern.ts';
import { trimOf } from '#lib/trim.ts';

/** Why a pattern can't be used; undefined for one that can. */
export function patternProblem(text: string): { suggestion: string | null } | undefined {
  if (text.startsWith('!') || text.startsWith('\\#') || /[[\]]/.test(text)) return { suggestion: null };
  if (/(?<!\\)\*{3}/.test(text)) return { suggestion: `Did you mean ${text.replaceAll(/\*{3,}/g, '**')}?` };
  return /^\/*$/.test(text) ? { suggestion: null } : undefined;
}

/**
 * A pattern as in gitignore: without a slash before its end, it matches at any depth, otherwise from the root; a folder stands
 * for all below it. Other than there, `*` as the last part matches files alone.
 */
export function patternOf(text: string): Pattern {
  const isFolder = text.endsWith('/');
  const bare = trimOf(text, '/');
  const isAnchored = text.startsWith('/') || bare.includes('/');
  const names = bare.split(/\/+/);
  const last = names.at(-1);
  const named = last === '**' ? names.slice(0, -1) : names;
  const segments = named.map((name) => (name === '**' ? star : segmentOf(name)));
  const oneOrMore = [[star], star] as const;
  const below = isFolder || last === '**' ? oneOrMore : last === '*' ? [] : [star];
  return [...(isAnchored ? [] : [star]), ...segments, ...below] as Pattern;
}
