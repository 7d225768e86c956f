// The size of a YAML file with its aliases expanded, since a short file may repeat one part many times.

import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { fixedValue } from '#lib/limits.ts';
import { workflowFileLimits } from './limits.ts';

type Size = { readonly nodes: number; readonly characters: number };

const most: Size = {
  nodes: fixedValue(workflowFileLimits.fileNodes),
  characters: fixedValue(workflowFileLimits.fileCharacters),
};

/** Why a file is too large; undefined if it isn't. The time depends on the nodes in the source, not on repetitions by aliases. */
export function sizeProblem(document: Document.Parsed): string | undefined {
  const { nodes, characters } = sizeOf(document.contents, new Map());
  if (nodes > most.nodes) return `The file has more than ${most.nodes} parts, including parts that aliases repeat`;
  if (characters > most.characters)
    return `The file has more than ${most.characters} characters, including parts that aliases repeat`;
  return undefined;
}

/** @param anchors the sizes of the named parts so far */
function sizeOf(node: unknown, anchors: Map<string, Size>): Size {
  if (isAlias(node)) return anchors.get(node.source) ?? { nodes: 1, characters: 0 };
  const parts = partsOf(node).map((part) => sizeOf(part, anchors));
  const size = {
    nodes: parts.reduce((sum, part) => sum + part.nodes, 1),
    characters: parts.reduce((sum, part) => sum + part.characters, isScalar(node) ? String(node.value ?? '').length : 0),
  };
  const { anchor } = (node ?? {}) as Partial<Node> & { anchor?: string };
  if (anchor !== undefined) anchors.set(anchor, size);
  return size;
}

function partsOf(node: unknown): unknown[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]);
  return isSeq(node) ? node.items : [];
}
