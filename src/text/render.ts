// Markdown as HTML for one reader, and as plain text.

import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { preparedResults } from '#lib/preparation.ts';
import { Refusal } from '#lib/refusal.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { digestOf } from './digest.ts';
import { escapeHtml } from './escape-html.ts';
import { textLimits } from './limits.ts';
import {
  type MarkdownText,
  type RenderedPart,
  type RenderedReference,
  renderMarkdown,
  renderPlain,
  sizeOfParts,
} from './markdown-html.ts';
import type { Reference } from './references.ts';

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

/** The repository that a reference in a text of `own` leads to; undefined if there is none that it could mean. */
export function repositoryNamed(
  { owner = '', repo = '' }: Partial<RepositoryName>,
  own: RepositoryName | undefined,
): RepositoryName | undefined {
  if (owner !== '' && repo !== '') return { owner, repo };
  return own && { owner: owner || own.owner, repo: repo || own.repo };
}

/** The key of a repository, by which its autolinks are found. */
export const repositoryKey = ({ owner, repo }: RepositoryName): string => `${owner}/${repo}`.toLowerCase();

/** The key of an issue in `Known`. */
export const issueKey = ({ owner, repo }: RepositoryName, number: number): string => `${owner}/${repo}#${number}`.toLowerCase();

/** The key of a commit in `Known`, by the digits with which a text names it. */
export const commitKey = ({ owner, repo }: RepositoryName, digits: string): string => `${owner}/${repo}@${digits}`.toLowerCase();

/**
 * A text that was rendered, for all readers: undefined if it is shown as it was written, since it takes too long or makes too
 * much HTML.
 */
export type RenderedText = { readonly parts: readonly RenderedPart[] | undefined };

/** The most characters of HTML that a text is for a reader. */
export const sizeOfHtml = ({ parts = [] }: RenderedText, { html }: Pick<LinkContext, 'html'>): number =>
  sizeOfParts(parts) + referencesOf({ parts }).length * (html.length + charactersOfLink);
/** About the tag of a link and the path of its address: the names of an owner and a repository. */
const charactersOfLink = 150;

const { time, inProcess, kept } = textLimits;
const markdown = threadFunctions<typeof import('./markdown-html.ts')>(
  new URL('./markdown-html.ts', import.meta.url),
  fixedValue(time),
);
const short = fixedValue(inProcess);

type Owned<Input> = Input & { readonly caller: Caller };

const rendered = preparedResults<Owned<MarkdownText>, RenderedText>({
  compute: async ({ caller, ...wanted }) => {
    if (wanted.text.length <= short) return { parts: renderMarkdown(wanted) };
    return { parts: await unlessEnded(() => markdown.call('renderMarkdown', wanted, { caller })) };
  },
  keyOf: ({ text, html, breaks, autolinks = [] }) =>
    `${digestOf(text)} ${autolinks.length === 0 ? '' : digestOf(JSON.stringify(autolinks))} ${breaks} ${html}`,
  sizeOf: ({ parts }, key) => key.length + sizeOf(parts ?? []),
  maxBytes: fixedValue(kept),
});

const plain = preparedResults<Owned<{ text: string }>, { readonly text: string | undefined }>({
  compute: async ({ caller, text }) => {
    if (text.length <= short) return { text: renderPlain(text) };
    return { text: await unlessEnded(() => markdown.call('renderPlain', text, { caller })) };
  },
  keyOf: ({ text }) => digestOf(text),
  sizeOf: ({ text = '' }, key) => key.length + 2 * text.length,
  maxBytes: fixedValue(kept),
});

/** Two bytes for each character, and some for each reference. */
const sizeOf = (parts: readonly RenderedPart[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? 2 * part.length : bytesOfReference), 0);
const bytesOfReference = 500;

/** What takes a thread too long does so each time. */
async function unlessEnded<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ThreadEnded) return undefined;
    throw error;
  }
}

/** The same where too many texts of the caller wait: it is rendered when somebody asks again. */
async function unlessBusy<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The HTML of a Markdown text, with its references. What was rendered is kept by the text. */
export const renderForAll = async (wanted: MarkdownText, caller: Caller): Promise<RenderedText> =>
  (await unlessBusy(() => rendered.get({ ...wanted, caller }))) ?? { parts: undefined };

/** The words of a Markdown text without its marks; the text itself where that takes too long. */
export const plainText = async (text: string, caller: Caller): Promise<string> =>
  (await unlessBusy(() => plain.get({ text, caller })))?.text ?? text;

type LinkContext = {
  /** The address of this server. */
  readonly html: string;
  /** The repository to which references without one belong. */
  readonly repository?: RepositoryName | undefined;
  /** Without it, nothing is linked. */
  readonly known?: Known | undefined;
};

/** The HTML of a text for one reader: references to what is known become links. */
export function linkedHtml({ parts }: RenderedText, text: string, context: LinkContext): string {
  if (!parts) return verbatimHtml(text);
  return parts.map((part) => (typeof part === 'string' ? part : linkOf(part, context))).join('');
}

/** The references of a text that was rendered. */
export const referencesOf = ({ parts = [] }: RenderedText): Reference[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.reference]));

/** The HTML of a Markdown text for one reader. */
export async function renderText(
  text: string,
  { caller, breaks = false, autolinks, ...context }: LinkContext & RenderOptions,
): Promise<string> {
  return linkedHtml(await renderForAll({ text, html: context.html, breaks, autolinks }, caller), text, context);
}

type RenderOptions = { readonly caller: Caller } & Partial<Pick<MarkdownText, 'breaks' | 'autolinks'>>;

/** A text as it was written, in HTML: for what isn't rendered. */
export const verbatimHtml = (text: string): string => `<pre>${escapeHtml(text)}</pre>\n`;

function linkOf(
  { reference, linked, plain: unlinked, before, after }: RenderedReference,
  { html, repository, known }: LinkContext,
): string {
  const link = (href: string | undefined, className: string) =>
    href === undefined ? unlinked : `${before}<a class="${className}" href="${escapeHtml(href)}">${linked}</a>${after}`;
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
      return link(named && known?.commits.get(commitKey(named, reference.sha)), 'commit-link');
    }
  }
}
