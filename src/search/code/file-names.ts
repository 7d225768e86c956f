import { split, valuesOf } from '#search/query/filters.ts';
import { group, type Node } from '#search/query/tree.ts';

const inPath: Node = { kind: 'qualifier', name: 'in', raw: ['path'], value: { type: 'set', words: ['path'] } };

/** Adds the words of `filename:` as terms `in:path` to a query of only qualifiers. Other queries are returned unchanged. */
export function withFileNames(query: Node): Node {
  const { terms, filters, rest } = split(query);
  if (terms || rest.length > 0) return query;
  const names = valuesOf(filters, { name: 'filename', type: 'text', negated: false });
  const nameTerms = group(
    'any',
    names.map(({ text }) => ({ kind: 'text', text, quoted: false })),
  );
  return (nameTerms && group('all', [nameTerms, inPath, query])) ?? query;
}
