import type { Node, Qualifier } from './tree.ts';
import type { Value } from './values.ts';

/** The parts of a query in the basic grammar: its terms, the filters for all hits, and combinations of qualifiers. */
export type Split = { terms: Node | undefined; filters: Filter[]; rest: Node[] };

/** A qualifier that every hit must, or must not, satisfy. */
export type Filter = { name: string; value: Value; negated: boolean };

/** Separates the qualifiers that apply to the whole query. `rest` has combinations of qualifiers. */
export function split(query: Node): Split {
  const parts = query.kind === 'all' ? query.parts : [query];
  const filters: Filter[] = [];
  const texts: Node[] = [];
  const rest: Node[] = [];
  for (const part of parts) {
    const leaf = part.kind === 'not' ? part.part : part;
    if (leaf.kind === 'qualifier') filters.push(asFilter(leaf, part.kind === 'not'));
    else if (holdsQualifier(part)) rest.push(part);
    else texts.push(part);
  }
  return { terms: texts.length > 1 ? { kind: 'all', parts: texts } : texts[0], filters, rest };
}

const asFilter = ({ name, value }: Qualifier, negated: boolean): Filter => ({ name, value, negated });

/** All matching qualifiers of a tree. */
export function filtersIn(node: Node, matches: (qualifier: Qualifier) => boolean, negated = false): Filter[] {
  if (node.kind === 'not') return filtersIn(node.part, matches, !negated);
  if (node.kind === 'all' || node.kind === 'any') return node.parts.flatMap((part) => filtersIn(part, matches, negated));
  return node.kind === 'qualifier' && matches(node) ? [asFilter(node, negated)] : [];
}

function holdsQualifier(node: Node): boolean {
  if (node.kind === 'not') return holdsQualifier(node.part);
  if (node.kind === 'all' || node.kind === 'any') return node.parts.some(holdsQualifier);
  return node.kind === 'qualifier';
}

/** The values of a qualifier in the filters, of one type. */
export const valuesOf = <T extends Value['type']>(
  filters: readonly Filter[],
  { name, type, negated }: { name: string; type: T; negated: boolean },
): Extract<Value, { type: T }>[] =>
  filters.flatMap((filter) =>
    filter.name === name && filter.negated === negated && isOf(filter.value, type) ? [filter.value] : [],
  );

const isOf = <T extends Value['type']>(value: Value, type: T): value is Extract<Value, { type: T }> => value.type === type;
