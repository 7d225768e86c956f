import MarkdownIt, { type Token } from 'markdown-it';
import { fixedValue } from '#lib/limits.ts';
import { textLimits } from './limits.ts';

const maxNesting = fixedValue(textLimits.nesting);

/** Reads what references are found in: raw HTML is seen as such, and addresses are left to `findReferences`. */
const reader = new MarkdownIt({ html: true, maxNesting });

/** The blocks of a Markdown text, in order. Those of type `inline` hold their words and marks as `children`. */
export const parseMarkdown = (text: string): Token[] => reader.parse(text, {});

/** Stands for a code span, a link or an image, which no reference reaches across. */
const opaque = '\uFFFC';
/** Stands for a mark that isn't part of a word: where emphasis or a tag begins or ends. */
const mark = '\u2060';

/** A paragraph's text in one string, and where each of its text tokens begins there. */
export type InlineText = { text: string; parts: readonly { token: Token; start: number }[] };

/**
 * The text of a paragraph, heading or cell in which references may stand: without code, links' texts, images and HTML comments. An
 * address in angle brackets is text; an element of `verbatim` that was opened before hides what follows. One that is opened inside ends
 * with the paragraph.
 */
export function inlineText(children: readonly Token[], open: OpenTags): InlineText {
  const tags = open.copy();
  const parts: { token: Token; start: number }[] = [];
  const pieces: string[] = [];
  let length = 0;
  let links = 0;
  const add = (piece: string): void => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const token of children) {
    if (token.type === 'link_open' && token.markup !== 'autolink') links++;
    if (token.type === 'link_close' && token.markup !== 'autolink') links--;
    if (token.type === 'html_inline') tags.see(token.content);
    if (token.type === 'text' && links === 0 && !tags.hide) {
      parts.push({ token, start: length });
      add(token.content);
    } else if (token.type === 'softbreak' || token.type === 'hardbreak') add('\n');
    else add(token.nesting === 0 && token.type !== 'html_inline' ? opaque : mark);
  }
  open.closeLike(tags);
  return { text: pieces.join(''), parts };
}

/** Elements in whose text nothing is a reference. */
const verbatim = new Set(['a', 'code', 'pre', 'script', 'style', 'textarea', 'tt']);

/** Which elements of `verbatim` raw HTML has opened and not closed yet. */
export class OpenTags {
  readonly #open = new Map<string, number>();

  copy(): OpenTags {
    const copied = new OpenTags();
    for (const [name, count] of this.#open) copied.#open.set(name, count);
    return copied;
  }

  /** Closes what was closed in a copy. */
  closeLike(copied: OpenTags): void {
    for (const [name, count] of this.#open) this.#set(name, Math.min(count, copied.#open.get(name) ?? 0));
  }

  /** Whether text at this place is inside one of them. */
  get hide(): boolean {
    return this.#open.size > 0;
  }

  /** Takes one tag, as it is written. What is no tag changes nothing. */
  see(tag: string): void {
    const [, slash, written = ''] = /^<(\/?)([a-z][a-z\d-]*)/i.exec(tag) ?? [];
    const name = written.toLowerCase();
    if (!verbatim.has(name)) return;
    this.#set(name, (this.#open.get(name) ?? 0) + (slash ? -1 : 1));
  }

  #set(name: string, count: number): void {
    if (count > 0) this.#open.set(name, count);
    else this.#open.delete(name);
  }
}

/** A piece of a block of raw HTML: text in which references may stand, or what is to stay as it is. */
type HtmlPiece = { readonly source: string; readonly isText: boolean };

/**
 * Divides a block of raw HTML into text and the rest. Every character is looked at once, however broken the tags are: what isn't
 * closed reaches to the end.
 */
export function htmlPieces(html: string, tags: OpenTags): HtmlPiece[] {
  const pieces: HtmlPiece[] = [];
  const add = (start: number, end: number, isText: boolean): void => {
    if (end > start) pieces.push({ source: html.slice(start, end), isText });
  };
  let at = 0;
  while (at < html.length) {
    const start = nextTag(html, at);
    add(at, start, !tags.hide);
    at = endOfTag(html, start);
    add(start, at, false);
    tags.see(html.slice(start, Math.min(at, start + 16)));
  }
  return pieces;
}

const tagStart = /<[a-z!?/]/gi;

function nextTag(html: string, from: number): number {
  tagStart.lastIndex = from;
  return tagStart.exec(html)?.index ?? html.length;
}

function endOfTag(html: string, start: number): number {
  const after = (mark: string, from: number): number => {
    const found = html.indexOf(mark, from);
    return found < 0 ? html.length : found + mark.length;
  };
  if (html.startsWith('<!--', start)) return after('-->', start + 2); // `<!-->` is a whole comment
  if (!/[a-z]/i.test(html.charAt(start + 1))) return after('>', start);
  const skip = (characters: RegExp, from: number): number => {
    characters.lastIndex = from;
    characters.test(html);
    return characters.lastIndex;
  };
  for (let at = skip(tagName, start + 1); ; ) {
    at = skip(betweenAttributes, at);
    if (at >= html.length) return html.length;
    if (html.charAt(at) === '>') return at + 1;
    const name = skip(attributeName, at);
    const equals = skip(blanks, name);
    if (html.charAt(equals) !== '=') {
      at = equals;
      continue;
    }
    const value = skip(blanks, equals + 1);
    const quote = html.charAt(value);
    at = quote === '"' || quote === "'" ? after(quote, value + 1) : skip(unquotedValue, value);
  }
}

// The parts of a tag, as browsers read them (HTML, 13.2.5): a quote counts only where a value begins.
const tagName = /[^\s/>]*/y;
const betweenAttributes = /[\s/]*/y;
const attributeName = /[^>][^\s/>=]*/y;
const blanks = /\s*/y;
const unquotedValue = /[^\s>]*/y;
