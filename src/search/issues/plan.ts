import { type Filter, filtersIn } from '#search/query/filters.ts';
import { findQualifier } from '#search/query/qualifiers.ts';
import type { Node, Qualifier } from '#search/query/tree.ts';

/** The parts of a query: the filters of repositories, and the conditions on issues. */
export type Plan = {
  /** Qualifiers about repositories that apply to the whole query. */
  scope: Filter[];
  /** Qualifiers inside alternatives that name repositories. */
  nested: Filter[];
  required: Node[];
};

const repositoryQualifiers = new Set(['repo', 'user', 'org']);
const visibilities = new Set(['public', 'private', 'internal']);

/**
 * Splits a query. In the basic grammar, values of one qualifier are alternatives if its specification says so: `author:ada
 * author:bob` means either of them. In the advanced grammar, both are required.
 */
export function planOf(query: Node, grammar: { advanced: boolean }): Plan {
  const parts = query.kind === 'all' ? query.parts : [query];
  const scoping = parts.filter((part) => isScoping(qualifierOf(part)));
  const others = parts.filter((part) => !scoping.includes(part));
  const named = scoping.filter((part) => part.kind === 'qualifier' && repositoryQualifiers.has(part.name));
  // The scope treats names as alternatives. If all of them are required, each issue is checked too.
  const checkedAgain = grammar.advanced && named.length > 1 ? named : [];
  return {
    scope: scoping.flatMap((part) => filtersIn(part, isScoping)),
    nested: others.flatMap((part) => filtersIn(part, ({ name }) => repositoryQualifiers.has(name))),
    required: [...(grammar.advanced ? others : grouped(others)), ...checkedAgain],
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
  return repositoryQualifiers.has(name) || name === 'archived';
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
