import { split, valuesOf } from '#search/query/filters.ts';
import { group, type Node } from '#search/query/tree.ts';

const inPath: Node = { kind: 'qualifier', name: 'in', raw: ['path'], value: { type: 'set', words: ['path'] } };

/** A query of qualifiers alone with the words of its `filename:` as terms, to be found in paths. Other queries stay as they are. */
export function withFileNames(query: Node): Node {
  const { terms, filters, rest } = split(query);
  if (terms || rest.length > 0) return query;
  const names = valuesOf(filters, { name: 'filename', type: 'text', negated: false });
  const wanted = group(
    'any',
    names.map(({ text }) => ({ kind: 'text', text, quoted: false })),
  );
  return (wanted && group('all', [wanted, inPath, query])) ?? query;
}
