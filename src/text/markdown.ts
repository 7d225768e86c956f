import MarkdownIt, { type Token } from 'markdown-it';
import { fixedValue } from '#lib/limits.ts';
import { textLimits } from './limits.ts';

const maxNesting = fixedValue(textLimits.nesting);

/** Parses texts for finding references: raw HTML is recognized, and addresses are left to `findReferences`. */
const reader = new MarkdownIt({ html: true, maxNesting });

/** The blocks of a Markdown text, in order. Blocks of type `inline` hold their words and markup as `children`. */
export const parseMarkdown = (text: string): Token[] => reader.parse(text, {});

/** Replaces a code span, a link or an image. No reference extends across it. */
const opaque = '\uFFFC';
/** Replaces markup that isn't part of a word: the beginning or end of emphasis or of a tag. */
const mark = '\u2060';

/** A paragraph's text as one string, and the offset of each of its text tokens. */
export type InlineText = { text: string; parts: readonly { token: Token; start: number }[] };

/**
 * The text of a paragraph, heading or cell that may contain references: without code, links' texts, images and HTML comments. An
 * address in angle brackets is text. If an element of `verbatim` is already open, the following text is excluded. An element that
 * is opened inside ends with the paragraph.
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

/** Elements whose text contains no references. */
const verbatim = new Set(['a', 'code', 'pre', 'script', 'style', 'textarea', 'tt']);

/** The elements of `verbatim` that raw HTML has opened and not closed yet. */
export class OpenTags {
  readonly #open = new Map<string, number>();

  copy(): OpenTags {
    const copied = new OpenTags();
    for (const [name, count] of this.#open) copied.#open.set(name, count);
    return copied;
  }

  /** Closes the elements that were closed in a copy. */
  closeLike(copied: OpenTags): void {
    for (const [name, count] of this.#open) this.#set(name, Math.min(count, copied.#open.get(name) ?? 0));
  }

  /** Whether text at this position is inside one of them. */
  get hide(): boolean {
    return this.#open.size > 0;
  }

  /** Handles one tag, in its source form. Other text changes nothing. */
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

/** A piece of a raw HTML block: text that may contain references, or source that stays unchanged. */
type HtmlPiece = { readonly source: string; readonly isText: boolean };

/**
 * Splits a raw HTML block into text and the rest. Each character is read once, even if tags are malformed: an unclosed tag
 * extends to the end.
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
  if (html.startsWith('<!--', start)) return after('-->', start + 2); // `<!-->` is a complete comment
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

// The parts of a tag, by browsers' rules (HTML, 13.2.5): a quote counts only at the beginning of a value.
const tagName = /[^\s/>]*/y;
const betweenAttributes = /[\s/]*/y;
const attributeName = /[^>][^\s/>=]*/y;
const blanks = /\s*/y;
const unquotedValue = /[^\s>]*/y;
