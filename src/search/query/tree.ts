import type { Value } from './values.ts';

/** A word or a phrase: `foo`, or `"an exact phrase"`. */
export type Text = { kind: 'text'; text: string; quoted: boolean };

/** `name:value`. `raw` has the values as text (several if the qualifier takes a list). */
export type Qualifier = { kind: 'qualifier'; name: string; raw: string[]; value: Value };

export type Leaf = Text | Qualifier;

/** A parsed query. Groups have at least two parts, which aren't groups of the same kind. The part of a `not` isn't a `not`. */
export type Node = Leaf | { kind: 'not'; part: Node } | { kind: 'all'; parts: Node[] } | { kind: 'any'; parts: Node[] };

/** A group in canonical form: flat, without repeated qualifiers, and replaced by its part if it has only one. */
export function group(kind: 'all' | 'any', nodes: readonly Node[]): Node | undefined {
  const parts = withoutRepetition(nodes.flatMap((node) => (node.kind === kind ? node.parts : [node])));
  return parts.length > 1 ? { kind, parts } : parts[0];
}

function withoutRepetition(parts: readonly Node[]): Node[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const leaf = part.kind === 'not' ? part.part : part;
    if (leaf.kind !== 'qualifier') return true;
    const key = JSON.stringify([part.kind, leaf.name, leaf.raw]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The negation of a node. */
export const negate = (node: Node): Node => (node.kind === 'not' ? node.part : { kind: 'not', part: node });

/** The leaves of a tree, from left to right. */
export function* leaves(node: Node): Generator<Leaf> {
  if (node.kind === 'not') yield* leaves(node.part);
  else if (node.kind === 'all' || node.kind === 'any') for (const part of node.parts) yield* leaves(part);
  else yield node;
}

/** Whether a tree has a qualifier with one of these values that isn't negated. */
export function hasQualifier(node: Node, name: string, values: readonly string[]): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.parts.some((part) => hasQualifier(part, name, values));
  return node.kind === 'qualifier' && node.name === name && node.raw.some((raw) => values.includes(raw.toLowerCase()));
}
