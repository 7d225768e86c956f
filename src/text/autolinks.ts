// References to other systems, such as TICKET-123, which a repository's autolinks turn into links.

/** An autolink, as plain data. */
export type Autolink = {
  readonly prefix: string;
  /** The address, with `<num>` as placeholder for the rest of the reference. */
  readonly urlTemplate: string;
  /** Whether the rest may contain letters and hyphens. Otherwise it consists of digits. */
  readonly isAlphanumeric: boolean;
};

/** A reference and its address. */
export type FoundAutolink = { readonly start: number; readonly end: number; readonly href: string };

/** A node of the tree of prefixes, keyed by lower-case characters. */
type Node = { readonly next: Map<string, Node>; autolink?: Autolink };

const trees = new WeakMap<readonly Autolink[], Node>();

function treeOf(autolinks: readonly Autolink[]): Node {
  const known = trees.get(autolinks);
  if (known) return known;
  const root: Node = { next: new Map() };
  for (const autolink of autolinks) {
    let node = root;
    for (const character of autolink.prefix.toLowerCase()) {
      const next = node.next.get(character) ?? { next: new Map() };
      node.next.set(character, next);
      node = next;
    }
    node.autolink ??= autolink;
  }
  trees.set(autolinks, root);
  return root;
}

/** An address is skipped as a whole. A reference can't begin inside a word, a path or another reference. */
const candidate = /https?:\/\/[^\s<>"\uFFFC\u2060]+|(?<![\w/&#@-])[\w.\-+=:/#]/gi;
const alphanumeric = /[a-z\d]{1,255}(?:-[a-z\d]{1,255}){0,20}(?![a-z\d_])/iy;
const numeric = /\d{1,255}(?!\w)/y;

/**
 * The autolink references of a text, in order. If several prefixes match at one position, the longest counts, regardless of case.
 * The time is linear in the text's length, regardless of the number of autolinks, since prefixes are matched with a tree.
 */
export function findAutolinks(text: string, autolinks: readonly Autolink[]): FoundAutolink[] {
  if (autolinks.length === 0) return [];
  const root = treeOf(autolinks);
  const found: FoundAutolink[] = [];
  let past = 0;
  for (const { 0: matched, index } of text.matchAll(candidate)) {
    if (index < past || matched.length > 1) continue;
    const one = autolinkAt(text, index, root);
    if (!one) continue;
    found.push(one);
    past = one.end;
  }
  return found;
}

function autolinkAt(text: string, start: number, root: Node): FoundAutolink | undefined {
  let longest: FoundAutolink | undefined;
  let node: Node | undefined = root;
  for (let at = start; node; at++) {
    if (node.autolink) longest = referenceOf(text, { start, at }, node.autolink) ?? longest;
    node = node.next.get(text.charAt(at).toLowerCase());
  }
  return longest;
}

function referenceOf(
  text: string,
  { start, at }: { start: number; at: number },
  { urlTemplate, isAlphanumeric }: Autolink,
): FoundAutolink | undefined {
  const pattern = isAlphanumeric ? alphanumeric : numeric;
  pattern.lastIndex = at;
  const [number] = pattern.exec(text) ?? [];
  if (number === undefined) return undefined;
  return { start, end: at + number.length, href: urlTemplate.replaceAll('<num>', number) };
}
