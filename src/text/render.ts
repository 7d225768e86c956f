// Markdown as HTML that any page may show, and as plain text.
import MarkdownIt, { type Token } from 'markdown-it';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { htmlPieces, type InlineText, inlineText, OpenTags } from './markdown.ts';
import { type Found, findReferences, type Reference } from './references.ts';
import { sanitized, textOf } from './sanitize.ts';

/** What may be linked: what is there and what the reader may see, by keys in lower case. */
export type Known = {
  /** Logins as they are written, by themselves in lower case. */
  readonly logins: ReadonlyMap<string, string>;
  /** Addresses of teams, by `org/team`. */
  readonly teams: ReadonlyMap<string, string>;
  /** Addresses of issues, by `issueKey`. */
  readonly issues: ReadonlyMap<string, string>;
  /** Addresses of commits, by `commitKey`. */
  readonly commits: ReadonlyMap<string, string>;
};

/** A repository by its names in URLs. */
export type RepositoryName = { readonly owner: string; readonly repo: string };

/** The repository that a reference in a text of `own` leads to; undefined where there is none that it could mean. */
export function repositoryNamed(
  { owner = '', repo = '' }: Partial<RepositoryName>,
  own: RepositoryName | undefined,
): RepositoryName | undefined {
  if (owner !== '' && repo !== '') return { owner, repo };
  return own && { owner: owner || own.owner, repo: repo || own.repo };
}

export type RenderContext = {
  /** The address of this server. */
  readonly html: string;
  /** The repository to which references without one belong. */
  readonly repository?: RepositoryName;
  /** Without it, nothing is linked. */
  readonly known?: Known;
  /** Ends of lines are shown as such, as comments have it. */
  readonly breaks?: true;
};

/** The key of an issue in `Known`. */
export const issueKey = ({ owner, repo }: RepositoryName, number: number): string => `${owner}/${repo}#${number}`.toLowerCase();

/** The key of a commit in `Known`, by the digits with which a text names it. */
export const commitKey = ({ owner, repo }: RepositoryName, digits: string): string => `${owner}/${repo}@${digits}`.toLowerCase();

const maxNesting = fixedValue(limitTable.texts.nesting);
const mostTags = fixedValue(limitTable.texts.tags);

const renderer = new MarkdownIt({ html: true, linkify: true, maxNesting });
const { escapeHtml } = renderer.utils;
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

/** A link that replaces some characters of a text token. Of a commit's id, which the last `digits` of them are, the beginning is shown. */
type Link = { start: number; end: number; digits: number; href: string; className: string };
type TextMeta = { links?: Link[]; box?: string };

renderer.renderer.rules.text = (tokens, at) => {
  const { content, meta } = tokens[at] as Token;
  const { links = [], box = '' } = (meta ?? {}) as TextMeta; // nothing else sets the meta of texts
  return box + linkedText(content, links, escapeHtml);
};

// The public API's element for what is struck out.
renderer.renderer.rules.s_open = () => '<del>';
renderer.renderer.rules.s_close = () => '</del>';

/** The length at which the public API cuts commits' ids. */
const shownDigits = 7;

/** Text with links in it; `written` makes HTML of each part. */
function linkedText(text: string, links: readonly Link[], written: (text: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, digits, href, className } of links) {
    const id = text.slice(end - digits, end - digits + Math.min(digits, shownDigits));
    const shown = written(text.slice(start, end - digits)) + (id === '' ? '' : `<tt>${id}</tt>`);
    parts.push(written(text.slice(at, start)), `<a class="${className}" href="${escapeHtml(href)}">${shown}</a>`);
    at = end;
  }
  parts.push(written(text.slice(at)));
  return parts.join('');
}

/**
 * The HTML of a Markdown text (the public API's dialect: tables, task lists, strikethrough, addresses as links), without anything that
 * could run, load or send something on a page. References to what is known become links.
 */
export function renderText(text: string, context: RenderContext): string {
  const tokens = renderer.parse(text, {});
  limitTags(tokens);
  linkReferences(tokens, context);
  showBoxes(tokens);
  for (const token of tokens) alignCell(token);
  const options = { ...renderer.options, breaks: context.breaks === true };
  return sanitized(renderer.renderer.render(tokens, options, {}), context.html);
}

/** A text as it was written, in HTML: for what isn't rendered. */
export const verbatimHtml = (text: string): string => `<pre>${escapeHtml(text)}</pre>\n`;

/** The words of a Markdown text without its marks. */
export function plainText(text: string): string {
  const tokens = renderer.parse(text, {});
  limitTags(tokens);
  return textOf(renderer.renderer.render(tokens, renderer.options, {}));
}

/** Shows raw HTML past the limit as text. */
function limitTags(tokens: readonly Token[]): void {
  let tags = 0;
  for (const token of tokens.flatMap((one) => one.children ?? [one])) {
    if (!token.type.startsWith('html_')) continue;
    tags += token.content.split('<').length - 1;
    if (tags > mostTags) token.type = 'text';
  }
}

function linkReferences(tokens: readonly Token[], context: RenderContext): void {
  if (!context.known) return;
  const open = new OpenTags();
  for (const token of tokens) {
    if (token.type === 'inline') linkInline(inlineText(token.children ?? [], open), context);
    if (token.type !== 'html_block') continue;
    const pieces = htmlPieces(token.content, open).map(({ source, isText }) =>
      isText ? linkedText(source, linksIn(findReferences(source), context), (same) => same) : source,
    );
    token.content = pieces.join('');
  }
}

function linkInline({ text, parts }: InlineText, context: RenderContext): void {
  const links = linksIn(findReferences(text), context);
  let next = 0;
  for (const { token, start } of parts) {
    const end = start + token.content.length;
    const own: Link[] = [];
    for (let link = links[next]; link && link.start < end; link = links[++next])
      if (link.start >= start) own.push({ ...link, start: link.start - start, end: link.end - start });
    if (own.length > 0) token.meta = { links: own } satisfies TextMeta;
  }
}

const linksIn = (found: readonly Found[], context: RenderContext): Link[] =>
  found.flatMap(({ start, end, reference }) => {
    const link = linkOf(reference, context);
    return link ? [{ start, end, ...link }] : [];
  });

function linkOf(reference: Reference, { html, repository, known }: RenderContext): Omit<Link, 'start' | 'end'> | undefined {
  const link = (href: string | undefined, className: string, digits = 0) =>
    href === undefined ? undefined : { href, className, digits };
  switch (reference.kind) {
    case 'mention': {
      const login = known?.logins.get(reference.login);
      return link(login && `${html}/${login}`, 'user-mention');
    }
    case 'team':
      return link(known?.teams.get(`${reference.org}/${reference.team}`), 'team-mention');
    case 'issue': {
      const named = repositoryNamed(reference, repository);
      return link(named && known?.issues.get(issueKey(named, reference.number)), 'issue-link');
    }
    case 'commit': {
      const named = repositoryNamed(reference, repository);
      const { sha } = reference;
      return link(named && known?.commits.get(commitKey(named, sha)), 'commit-link', sha.length);
    }
  }
}

/** Items of lists that begin with `[ ]` or `[x]` get a box, which nobody can tick. */
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

/** The alignment of a table's cell as an attribute, since no styles are let through. */
function alignCell(token: Token): void {
  if (token.type !== 'th_open' && token.type !== 'td_open') return;
  const align = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (align !== undefined) token.attrs = [['align', align]];
}
