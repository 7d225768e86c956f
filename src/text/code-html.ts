// Highlights source code. It runs in a worker thread, since grammars may take long for crafted texts.
import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import { embedded } from './code-languages.ts';
import { escapeHtml } from './escape-html.ts';

const load = createRequire(import.meta.url);
let highlighter: HLJSApi | undefined;

/** The highlighter with a grammar, and with those of parts. Each is loaded at its first use. */
function highlighterFor(grammar: string): HLJSApi {
  if (!highlighter) {
    highlighter = load('highlight.js/lib/core') as HLJSApi; // the types of the package are those of its entry point
    highlighter.configure({ classPrefix: '' });
  }
  for (const name of [grammar, ...(embedded[grammar] ?? [])])
    if (!highlighter.getLanguage(name))
      highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`) as LanguageFn);
  return highlighter;
}

/** A tag that the highlighter opens or closes, an entity, or a newline. */
const marks = /<span class="([^"<>&]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[<>"'\n]|&/g;

/** The classes of the first word of a scope, each with its own; scopes without one aren't marked. */
const classes: Readonly<Record<string, string>> = {
  keyword: 'k',
  built_in: 'b',
  type: 't',
  literal: 'l',
  number: 'l',
  symbol: 'l',
  regexp: 's',
  string: 's',
  char: 's',
  subst: 'x',
  comment: 'c',
  quote: 'c',
  doctag: 'k',
  meta: 'm',
  title: 'f',
  section: 'f',
  name: 'n',
  tag: 'x',
  attr: 'a',
  attribute: 'a',
  variable: 'v',
  property: 'a',
  params: 'x',
  selector: 'n',
  'selector-tag': 'n',
  'selector-id': 'f',
  'selector-class': 'f',
  'template-variable': 'v',
  'template-tag': 'm',
  bullet: 'l',
  code: 's',
  link: 's',
  addition: 'i',
  deletion: 'd',
  emphasis: 'e',
  strong: 'g',
};

/**
 * The lines of a source text as HTML, without line breaks. They hold nothing but escaped text and `span` elements with a class of
 * this module: whatever else the highlighter wrote is escaped.
 */
export function highlightCode({ text, grammar }: { text: string; grammar: string }): string[] {
  const { value } = highlighterFor(grammar).highlight(text, { language: grammar, ignoreIllegals: true });
  const lines: string[] = [];
  const open: string[] = [];
  let line = '';
  let at = 0;
  for (const { 0: mark, 1: scope, index } of value.matchAll(marks)) {
    line += value.slice(at, index);
    at = index + mark.length;
    if (scope !== undefined) {
      const tag = openTag(scope);
      open.push(tag);
      line += tag;
    } else if (mark === '</span>') {
      const tag = open.pop();
      if (tag) line += '</span>';
    } else if (mark === '\n') {
      lines.push(line + closed(open));
      line = open.join('');
    } else line += mark === '&#x27;' ? "'" : mark.length > 1 ? mark : escapeHtml(mark);
  }
  lines.push(line + value.slice(at) + closed(open));
  return lines;
}

/** The tag for a scope such as `title function_`; nothing for a scope without a class. */
function openTag(scope: string): string {
  const word = scope.split(' ', 1)[0] ?? '';
  const name = Object.hasOwn(classes, word) ? classes[word] : undefined;
  return name === undefined || name === 'x' ? '' : `<span class="h-${name}">`;
}

const closed = (open: readonly string[]): string => open.map((tag) => (tag === '' ? '' : '</span>')).join('');
