// Links and headings of a Markdown file in a repository, as they lead on pages.
import { posix } from 'node:path';
import { path } from '#endpoint/links.ts';
import { escapeHtml, unescapeHtml } from '#text/escape-html.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';

type FileAddresses = {
  /** The folder of the file. */
  readonly folder: string;
  /** Where files are shown, and where their bytes are: addresses that end with the ref. */
  readonly blob: string;
  readonly raw: string;
};

/** A tag with its attributes, whose values may hold `>`. */
const tag = /<(a|img|h[1-6])((?: [a-z-]+="[^"]*")*)(?: \/)?>/g;
const anchorPrefix = 'user-content-';

/**
 * The rendered text of a file: relative links lead to files of the same ref, headings have the anchors that links in the text
 * name, and pictures of other servers are replaced by their words, since pages load nothing from elsewhere.
 */
export function withFileLinks(html: RenderedHtml, file: FileAddresses): RenderedHtml {
  const anchors = new Map<string, number>();
  const parts: string[] = [];
  let at = 0;
  for (const { 0: whole, 1: name = '', 2: attributes = '', index } of html.matchAll(tag)) {
    parts.push(html.slice(at, index));
    at = index + whole.length;
    if (name === 'a') parts.push(`<a${replaced(attributes, 'href', (address) => linkTo(address, file.blob, file))}>`);
    else if (name === 'img') parts.push(pictureOf(attributes, file));
    else parts.push(`<${name}${attributes} id="${escapeHtml(anchorOf(headingText(html, at), anchors))}">`);
  }
  parts.push(html.slice(at));
  return parts.join('') as RenderedHtml; // the text was sanitized, and what is added is escaped
}

function pictureOf(attributes: string, file: FileAddresses): string {
  const source = attributeIn(attributes, 'src');
  if (source === undefined || !isElsewhere(source)) {
    return `<img${replaced(attributes, 'src', (address) => linkTo(address, file.raw, file))} loading="lazy">`;
  }
  const words = attributeIn(attributes, 'alt') || 'Picture of another server';
  return `<span class="elsewhere" title="${escapeHtml(source)}">${escapeHtml(words)}</span>`;
}

/** An attribute. They are read one after the other, so that no part of a value is taken for one. */
const attribute = / ([a-z-]+)="([^"]*)"/g;
type AttributeName = 'href' | 'src' | 'alt';

function attributeIn(attributes: string, wanted: AttributeName): string | undefined {
  for (const [, name, value = ''] of attributes.matchAll(attribute)) if (name === wanted) return unescapeHtml(value);
  return undefined;
}

const replaced = (attributes: string, wanted: AttributeName, change: (value: string) => string): string =>
  attributes.replace(attribute, (whole, name: string, value: string) =>
    name === wanted ? ` ${name}="${escapeHtml(change(unescapeHtml(value)))}"` : whole,
  );

const isElsewhere = (address: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address);

/** The address of what a link in a file names. A leading slash is the root of the repository. */
function linkTo(address: string, base: string, { folder }: FileAddresses): string {
  if (address === '' || isElsewhere(address)) return address;
  if (address.startsWith('#')) return address.length > 1 ? `#${anchorPrefix}${address.slice(1)}` : address;
  const [, file = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
  const target = posix.resolve('/', folder, decoded(file)).slice(1);
  return `${target === '' ? base : path(base, ...target.split('/'))}${rest}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The longest text of a heading that its anchor is made of. */
const maxHeading = 1_000;

const headingText = (html: string, from: number): string => {
  const end = html.indexOf('</h', from);
  return unescapeHtml(html.slice(from, Math.min(end < 0 ? html.length : end, from + maxHeading)).replace(/<[^>]*>?/g, ''));
};

/** The anchor of a heading, as the public API's pages make it: `user-content-first-steps`. Repeated ones are numbered. */
function anchorOf(text: string, anchors: Map<string, number>): string {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const count = anchors.get(words) ?? 0;
  anchors.set(words, count + 1);
  return anchorPrefix + (count === 0 ? words : `${words}-${count}`);
}
