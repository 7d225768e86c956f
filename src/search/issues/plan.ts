import { type Filter, filtersIn } from '#search/query/filters.ts';
import { findQualifier } from '#search/query/qualifiers.ts';
import type { Node, Qualifier } from '#search/query/tree.ts';

/** A query, taken apart into where to look and what every hit must match. */
export type Plan = {
  /** Qualifiers about repositories that hold for the whole query. */
  scope: Filter[];
  /** Those that name repositories among alternatives. */
  nested: Filter[];
  required: Node[];
};

const naming = new Set(['repo', 'user', 'org']);
const visibilities = new Set(['public', 'private', 'internal']);

/**
 * Takes a query apart. Where operators combine terms alone, values of one qualifier are alternatives if its table says so:
 * `author:ada author:bob` is either of them. In the advanced grammar they are both.
 */
export function planOf(query: Node, grammar: { advanced: boolean }): Plan {
  const parts = query.kind === 'all' ? query.parts : [query];
  const scoping = parts.filter((part) => isScoping(qualifierOf(part)));
  const others = parts.filter((part) => !scoping.includes(part));
  const named = scoping.filter((part) => part.kind === 'qualifier' && naming.has(part.name));
  // The scope takes names as alternatives. A hit that has to be in each of them is looked at for each.
  const again = grammar.advanced && named.length > 1 ? named : [];
  return {
    scope: scoping.flatMap((part) => filtersIn(part, isScoping)),
    nested: others.flatMap((part) => filtersIn(part, ({ name }) => naming.has(name))),
    required: [...(grammar.advanced ? others : grouped(others)), ...again],
  };
}

const qualifierOf = (part: Node): Qualifier | undefined => {
  const leaf = part.kind === 'not' ? part.part : part;
  return leaf.kind === 'qualifier' ? leaf : undefined;
};

function isScoping(qualifier: Qualifier | undefined): boolean {
  if (!qualifier) return false;
  const { name, value } = qualifier;
  if (name === 'is') return value.type === 'choice' && visibilities.has(value.choice);
  return naming.has(name) || name === 'archived';
}

function grouped(parts: readonly Node[]): Node[] {
  const isAlternative = (part: Node): part is Qualifier =>
    part.kind === 'qualifier' && findQualifier('issues', part.name)?.repeated === 'any';
  const groups = Map.groupBy(parts.filter(isAlternative), ({ name }) => name);
  const alternatives = [...groups.values()].map((group): Node => {
    const [first, ...more] = group;
    return first && more.length === 0 ? first : { kind: 'any', parts: group };
  });
  return [...parts.filter((part) => !isAlternative(part)), ...alternatives];
}
