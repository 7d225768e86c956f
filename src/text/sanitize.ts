// Restricts the HTML of this layer to listed elements and attributes, and to addresses with a few schemes.
import { createRequire } from 'node:module';
import type { IOptions } from 'sanitize-html';

const load = createRequire(import.meta.url);
/** Loaded for the first rendered text, since many servers render none. */
const sanitizer = (): typeof import('sanitize-html') => load('sanitize-html');

const blocks = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'blockquote', 'pre', 'hr', 'br', 'details', 'summary', 'figure'];
const lists = ['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'figcaption'];
const tables = ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'];
const marks = [
  'a',
  'img',
  'b',
  'i',
  'strong',
  'em',
  'code',
  'kbd',
  'samp',
  'var',
  'tt',
  'q',
  's',
  'strike',
  'del',
  'ins',
  'mark',
];
const words = ['sub', 'sup', 'small', 'span', 'abbr', 'cite', 'dfn', 'time', 'bdo', 'ruby', 'rt', 'rp', 'wbr'];

const aligned = Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div'].map((name) => [name, ['align']]));
const cell = ['align', 'colspan', 'rowspan'];

const common = {
  allowedTags: [...blocks, ...lists, ...tables, ...marks, ...words, 'input'],
  allowedAttributes: {
    '*': ['title', 'lang', 'dir'],
    ...aligned,
    a: ['href', 'rel'],
    img: ['src', 'alt', 'width', 'height', 'align'],
    ol: ['start', 'reversed'],
    th: cell,
    td: cell,
    details: ['open'],
    time: ['datetime'],
    input: ['type', 'checked', 'disabled'],
  },
  allowedClasses: {
    a: ['user-mention', 'team-mention', 'issue-link', 'commit-link', 'autolink'],
    li: ['task-list-item'],
    input: ['task-list-item-checkbox'],
    code: ['language-*'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  // The contents of these elements aren't text of the page either.
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'noscript',
    'title',
    'iframe',
    'noembed',
    'noframes',
    'template',
    'xmp',
    'plaintext',
  ],
  // The checkbox of a task list is the only form element, and it is disabled.
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && (attribs.type !== 'checkbox' || attribs.disabled === undefined),
} satisfies IOptions;

/** The allowed part of an HTML text. Links to servers other than `html` tell search engines not to follow them. */
export const sanitized = (source: string, html: string): string =>
  sanitizer()(source, {
    ...common,
    transformTags: {
      a: (tagName, { rel: _, ...attribs }) => ({
        tagName,
        attribs: attribs.href === undefined || attribs.href.startsWith(`${html}/`) ? attribs : { ...attribs, rel: 'nofollow' },
      }),
    },
  });

const characters: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text of an HTML source. */
export const textOf = (source: string): string =>
  sanitizer()(source, { allowedTags: [], allowedAttributes: {}, nonTextTags: common.nonTextTags })
    .replace(/&(?:lt|gt|quot|amp);/g, (written) => characters[written] ?? written)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
