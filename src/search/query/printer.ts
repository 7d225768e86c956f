import { normaliseBlanks, operators } from './lexer.ts';
import type { Leaf, Node } from './tree.ts';

const escaped = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A value, quoted if necessary. */
const value = (raw: string): string => (/^[^\s"():,][^\s"(),]*$/.test(raw) ? raw : escaped(raw));

function leaf(node: Leaf): string {
  if (node.kind === 'qualifier') return `${node.name}:${node.raw.map(value).join(',')}`;
  return node.quoted ? escaped(node.text) : node.text;
}

/**
 * The text of a query, which parses to the same tree. Without parentheses (the basic grammar), alternatives are written first,
 * since operators combine terms only and qualifiers apply to the whole query.
 */
export function print(node: Node, options: { advanced?: boolean } = {}): string {
  const nested = (part: Node): string => {
    const text = print(part, options);
    return options.advanced && (part.kind === 'any' || part.kind === 'all') ? `(${text})` : text;
  };
  switch (node.kind) {
    case 'not':
      return node.part.kind === 'qualifier' ? `-${leaf(node.part)}` : `NOT ${nested(node.part)}`;
    case 'any':
      return node.parts.map((part) => (part.kind === 'all' ? print(part, options) : nested(part))).join(' OR ');
    case 'all':
      return node.parts.map(nested).join(' ');
    default:
      return leaf(node);
  }
}

/** Whether a text is one word in a query without quotes, and neither an operator nor a qualifier. */
export const isBareWord = (text: string, isQualifier: (name: string) => boolean): boolean =>
  text !== '' &&
  normaliseBlanks(text) === text &&
  !/[ ()]|^"|:"/.test(text) &&
  !operators.some((operator) => operator === text) &&
  !isQualifier(/^-?([A-Za-z][A-Za-z0-9._-]*):/.exec(text)?.[1]?.toLowerCase() ?? '');
