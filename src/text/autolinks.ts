// References to other systems that a repository's autolinks turn into links, as TICKET-123.

/** One autolink, as plain data. */
export type Autolink = {
  readonly prefix: string;
  /** The address, with `<num>` where the rest of the reference goes. */
  readonly urlTemplate: string;
  /** Whether the rest may have letters and hyphens; otherwise it is digits. */
  readonly isAlphanumeric: boolean;
};

/** A reference and the address that it leads to. */
export type FoundAutolink = { readonly start: number; readonly end: number; readonly href: string };

/** A node of the tree of prefixes, by characters in lower case. */
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

/** An address is skipped whole; a reference isn't the middle of a word, a path or another reference. */
const candidate = /https?:\/\/[^\s<>"\uFFFC\u2060]+|(?<![\w/&#@-])[\w.\-+=:/#]/gi;
const alphanumeric = /[a-z\d]{1,255}(?:-[a-z\d]{1,255}){0,20}(?![a-z\d_])/iy;
const numeric = /\d{1,255}(?!\w)/y;

/**
 * The references of a text that autolinks lead from, in order. Of several prefixes at one position the longest counts, in any case of
 * its letters. The time is linear in the text's length, however many autolinks there are: prefixes are walked as a tree.
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
