// Renders Markdown as HTML that is safe for any page, and as plain text.

import { randomUUID } from 'node:crypto';
import MarkdownIt, { type Token } from 'markdown-it';
import { fixedValue } from '#lib/limits.ts';
import { type Autolink, type FoundAutolink, findAutolinks } from './autolinks.ts';
import { escapeHtml } from './escape-html.ts';
import { textLimits } from './limits.ts';
import { htmlPieces, type InlineText, inlineText, OpenTags } from './markdown.ts';
import { findReferences, type Reference } from './references.ts';
import { sanitized, textOf } from './sanitize.ts';

/** A Markdown text, and how it is rendered. */
export type MarkdownText = {
  readonly text: string;
  /** The address of this server. Links to other servers are marked. */
  readonly html: string;
  /** Whether line breaks are kept, as in comments. */
  readonly breaks: boolean;
  /** The autolinks of the text's repository that the reader may see. */
  readonly autolinks?: readonly Autolink[] | undefined;
};

/** HTML, or a reference in it, which becomes a link for readers who may see its target. */
export type RenderedPart = string | RenderedReference;

export type RenderedReference = {
  readonly reference: Reference;
  /** The HTML of the reference if it isn't a link. */
  readonly plain: string;
  /** The HTML between the tags of the link. */
  readonly linked: string;
  /** The HTML around the link, if an autolink covers more of the text than the reference. */
  readonly before: string;
  readonly after: string;
};

const maxNesting = fixedValue(textLimits.nesting);
const maxLinks = fixedValue(textLimits.links);
const mostTags = fixedValue(textLimits.tags);
const maxHtml = fixedValue(textLimits.html);

const renderer = new MarkdownIt({ html: true, linkify: true, maxNesting });
renderer.linkify.set({ fuzzyLink: false }).add('www.', {
  validate: (text: string, at: number) => {
    webAddress.lastIndex = at;
    return webAddress.exec(text)?.[0].length ?? 0;
  },
  normalize: (match: { url: string }) => {
    match.url = `http://${match.url}`;
  },
});
const webAddress = /[a-z\d-]+(?:\.[a-z\d-]+)+(?:[/?#](?:[^\s<>"]*[^\s<>".,;:!?'()[\]*_~])?)?/iy;

/** A reference in a text token. In the HTML, a mark replaces it, which becomes a link for each reader. */
type Link = { start: number; end: number; mark: string };
type TextMeta = { links?: Link[]; box?: string };

renderer.renderer.rules.text = (tokens, at) => {
  const { content, meta } = tokens[at] as Token;
  const { links = [], box = '' } = (meta ?? {}) as TextMeta; // the meta of text tokens is set only here
  return box + markedText(content, links, escapeHtml);
};

// The public API's element for strikethrough.
renderer.renderer.rules.s_open = () => '<del>';
renderer.renderer.rules.s_close = () => '</del>';

/** Text with marks instead of references; `written` makes HTML of the rest. */
function markedText(text: string, links: readonly Link[], written: (text: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, mark } of links) {
    parts.push(written(text.slice(at, start)), mark);
    at = end;
  }
  parts.push(written(text.slice(at)));
  return parts.join('');
}

/**
 * The HTML of a Markdown text (the public API's dialect: tables, task lists, strikethrough, addresses as links), and the
 * references in it. The HTML contains nothing that a page could run, load or send. Long texts are rendered in a worker thread.
 * @returns undefined if the HTML would be too large, since an address that is written once may be used in many links
 */
export function renderMarkdown({ text, html, breaks, autolinks = [] }: MarkdownText): RenderedPart[] | undefined {
  const tokens = renderer.parse(text, {});
  limitTags(tokens);
  if (sizeOfTokens(tokens) > maxHtml) return undefined;
  const references = openReferences(autolinks, html);
  markReferences(tokens, references);
  showBoxes(tokens);
  for (const token of tokens) alignCell(token);
  const options = { ...renderer.options, breaks };
  if (references.size() > maxHtml) return undefined;
  const parts = references.split(sanitized(renderer.renderer.render(tokens, options, {}), html));
  return sizeOfParts(parts) > maxHtml ? undefined : parts;
}

/** The words of a Markdown text without markup; undefined if its HTML would be too large. */
export function renderPlain(text: string): string | undefined {
  const tokens = renderer.parse(text, {});
  limitTags(tokens);
  if (sizeOfTokens(tokens) > maxHtml) return undefined;
  return textOf(renderer.renderer.render(tokens, renderer.options, {}));
}

/** The approximate number of characters of one token's tags. */
const charactersOfTags = 10;

/** The approximate number of characters of the tokens' HTML. */
const sizeOfTokens = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, { content, attrs, children }) => {
    const own = (attrs ?? []).reduce((all, [name, value]) => all + name.length + String(value).length, charactersOfTags);
    return sum + own + (children ? sizeOfTokens(children) : content.length);
  }, 0);

/** The maximum number of characters of HTML that a rendered text has for any reader, without the addresses of its references. */
export const sizeOfParts = (parts: readonly RenderedPart[]): number => parts.reduce((sum, part) => sum + sizeOfPart(part), 0);

const sizeOfPart = (part: RenderedPart): number =>
  typeof part === 'string'
    ? part.length
    : Math.max(part.plain.length, part.before.length + part.linked.length + part.after.length);

/** The length of abbreviated commit ids in the public API. */
const shownDigits = 7;

type References = {
  /** The number of characters of the marked references' HTML. Beyond a limit, no more are marked. */
  size(): number;
  mark(text: string): Link[];
  split(html: string): RenderedPart[];
};

/** Collects the references of one text. Nobody can forge their marks, since these contain a random number. */
function openReferences(autolinks: readonly Autolink[], html: string): References {
  const secret = randomUUID().replaceAll('-', '');
  const parts: RenderedPart[] = [];
  let size = 0;
  const isFull = (): boolean => parts.length >= maxLinks || size > maxHtml;
  const add = (start: number, end: number, part: RenderedPart): Link => {
    parts.push(part);
    size += sizeOfPart(part);
    return { start, end, mark: `r${secret}x${parts.length - 1}x` };
  };
  /** An autolink with a reference inside. The autolink is shown to readers who may not see the target of the reference. */
  const addBoth = (
    text: string,
    outer: FoundAutolink,
    { start, end, alone }: { start: number; end: number; alone: RenderedReference },
  ): Link => {
    const [before, after] = [escapeHtml(text.slice(outer.start, start)), escapeHtml(text.slice(end, outer.end))];
    return add(outer.start, outer.end, { ...alone, before, after, plain: autolinkHtml(text, outer, html) });
  };
  return {
    size: () => size,
    mark(text) {
      const outside = findAutolinks(text, autolinks);
      const links: Link[] = [];
      let next = 0;
      const addOutside = (before: number): void => {
        for (let one = outside[next]; one && one.end <= before && !isFull(); one = outside[++next])
          links.push(add(one.start, one.end, autolinkHtml(text, one, html)));
      };
      for (const { start, end, reference } of findReferences(text)) {
        if (isFull()) break;
        if (start < (links.at(-1)?.end ?? 0)) continue;
        addOutside(start);
        const written = text.slice(start, end);
        const alone = { reference, linked: linkedHtml(written, reference), plain: written, before: '', after: '' };
        const one = outside[next];
        if (!one || one.start >= end) links.push(add(start, end, alone));
        else {
          next++;
          links.push(one.start <= start && one.end >= end ? addBoth(text, one, { start, end, alone }) : add(start, end, alone));
        }
      }
      addOutside(text.length);
      return links;
    },
    split: (rendered) =>
      // Every second part is the match of the group.
      rendered.split(new RegExp(`r${secret}x(\\d+)x`)).flatMap((part, at): RenderedPart | RenderedPart[] => {
        const marked = at % 2 === 1 ? parts[Number(part)] : undefined;
        return marked ?? (part === '' ? [] : [part]);
      }),
  };
}

const autolinkHtml = (text: string, { start, end, href }: FoundAutolink, html: string): string =>
  sanitized(`<a class="autolink" href="${escapeHtml(href)}">${escapeHtml(text.slice(start, end))}</a>`, html);

/** The content of a link. Commit ids are abbreviated. References contain no characters with a special meaning in HTML. */
function linkedHtml(written: string, reference: Reference): string {
  if (reference.kind !== 'commit') return written;
  const before = written.slice(0, -reference.sha.length);
  return `${before}<tt>${written.slice(before.length, before.length + shownDigits)}</tt>`;
}

/** Shows raw HTML beyond the limit as text. */
function limitTags(tokens: readonly Token[]): void {
  let tags = 0;
  for (const token of tokens.flatMap((one) => one.children ?? [one])) {
    if (!token.type.startsWith('html_')) continue;
    tags += token.content.split('<').length - 1;
    if (tags > mostTags) token.type = 'text';
  }
}

function markReferences(tokens: readonly Token[], references: References): void {
  const open = new OpenTags();
  for (const token of tokens) {
    if (token.type === 'inline') markInline(inlineText(token.children ?? [], open), references);
    if (token.type !== 'html_block') continue;
    const pieces = htmlPieces(token.content, open).map(({ source, isText }) =>
      isText ? markedText(source, references.mark(source), (same) => same) : source,
    );
    token.content = pieces.join('');
  }
}

function markInline({ text, parts }: InlineText, references: References): void {
  const links = references.mark(text);
  let next = 0;
  for (const { token, start } of parts) {
    const end = start + token.content.length;
    const own: Link[] = [];
    for (let link = links[next]; link && link.start < end; link = links[++next])
      if (link.start >= start) own.push({ ...link, start: link.start - start, end: link.end - start });
    if (own.length > 0) token.meta = { links: own } satisfies TextMeta;
  }
}

/** Adds a disabled checkbox to list items that begin with `[ ]` or `[x]`. */
function showBoxes(tokens: readonly Token[]): void {
  for (const [at, { type, children }] of tokens.entries()) {
    const [item, paragraph] = [tokens[at - 2], tokens[at - 1]];
    const first = children?.[0];
    if (type !== 'inline' || item?.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open') continue;
    if (first?.type !== 'text' || !/^\[[ xX]\]\s/.test(first.content)) continue;
    const ticked = first.content[1] !== ' ';
    item.attrJoin('class', 'task-list-item');
    const links = ((first.meta as TextMeta | null)?.links ?? []).map((link) => ({
      ...link,
      start: link.start - 3,
      end: link.end - 3,
    }));
    const box = `<input type="checkbox" class="task-list-item-checkbox" disabled${ticked ? ' checked' : ''}>`;
    first.content = first.content.slice(3);
    first.meta = { links, box } satisfies TextMeta;
  }
}

/** The alignment of a table cell as an attribute, since styles aren't allowed. */
function alignCell(token: Token): void {
  if (token.type !== 'th_open' && token.type !== 'td_open') return;
  const align = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (align !== undefined) token.attrs = [['align', align]];
}
