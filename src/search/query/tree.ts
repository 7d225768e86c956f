import type { Value } from './values.ts';

/** Words to look for: `foo`, or `"an exact phrase"`. */
export type Text = { kind: 'text'; text: string; quoted: boolean };

/** `name:value`; `raw` holds the values as they were written (several only where the qualifier takes a list). */
export type Qualifier = { kind: 'qualifier'; name: string; raw: string[]; value: Value };

export type Leaf = Text | Qualifier;

/** A parsed query. Groups hold at least two parts, none of which is a group of the same kind; a `not` never holds a `not`. */
export type Node = Leaf | { kind: 'not'; part: Node } | { kind: 'all'; parts: Node[] } | { kind: 'any'; parts: Node[] };

/** A group in its canonical form: flat, each qualifier once, and not a group at all when it holds one part. */
export function group(kind: 'all' | 'any', nodes: readonly Node[]): Node | undefined {
  const parts = withoutRepetition(nodes.flatMap((node) => (node.kind === kind ? node.parts : [node])));
  return parts.length > 1 ? { kind, parts } : parts[0];
}

function withoutRepetition(parts: readonly Node[]): Node[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const leaf = part.kind === 'not' ? part.part : part;
    if (leaf.kind !== 'qualifier') return true;
    const written = JSON.stringify([part.kind, leaf.name, leaf.raw]);
    return !seen.has(written) && seen.add(written);
  });
}

/** The opposite of a node. */
export const negate = (node: Node): Node => (node.kind === 'not' ? node.part : { kind: 'not', part: node });

/** Every leaf of a tree, from left to right. */
export function* leaves(node: Node): Generator<Leaf> {
  if (node.kind === 'not') yield* leaves(node.part);
  else if (node.kind === 'all' || node.kind === 'any') for (const part of node.parts) yield* leaves(part);
  else yield node;
}

/** Whether a qualifier with one of these values stands anywhere in a tree without being excluded. */
export function hasQualifier(node: Node, name: string, values: readonly string[]): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.parts.some((part) => hasQualifier(part, name, values));
  return node.kind === 'qualifier' && node.name === name && node.raw.some((raw) => values.includes(raw.toLowerCase()));
}
