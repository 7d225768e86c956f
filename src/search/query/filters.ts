import type { Node, Qualifier } from './tree.ts';
import type { Value } from './values.ts';

/** A query of the basic grammar in two halves: the terms to look for, and the filters that every hit must pass. */
export type Split = { terms: Node | undefined; filters: Filter[]; rest: Node[] };

/** One qualifier that every hit must satisfy, or must not. */
export type Filter = { name: string; value: Value; negated: boolean };

/** Takes the qualifiers that apply to the whole query out of it. `rest` holds combinations of qualifiers. */
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

/** The qualifiers of a kind that stand anywhere in a tree. */
export function filtersIn(node: Node, wanted: (qualifier: Qualifier) => boolean, negated = false): Filter[] {
  if (node.kind === 'not') return filtersIn(node.part, wanted, !negated);
  if (node.kind === 'all' || node.kind === 'any') return node.parts.flatMap((part) => filtersIn(part, wanted, negated));
  return node.kind === 'qualifier' && wanted(node) ? [asFilter(node, negated)] : [];
}

function holdsQualifier(node: Node): boolean {
  if (node.kind === 'not') return holdsQualifier(node.part);
  if (node.kind === 'all' || node.kind === 'any') return node.parts.some(holdsQualifier);
  return node.kind === 'qualifier';
}

/** The values of one qualifier among the filters, of one type. */
export const valuesOf = <T extends Value['type']>(
  filters: readonly Filter[],
  { name, type, negated }: { name: string; type: T; negated: boolean },
): Extract<Value, { type: T }>[] =>
  filters.flatMap((filter) =>
    filter.name === name && filter.negated === negated && isOf(filter.value, type) ? [filter.value] : [],
  );

const isOf = <T extends Value['type']>(value: Value, type: T): value is Extract<Value, { type: T }> => value.type === type;
