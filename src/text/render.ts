// Renders Markdown as HTML for one reader, and as plain text.

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
import type { RenderedHtml } from './rendered-html.ts';

/** The possible targets of links: existing ones that the reader may see, by keys in lower case. */
export type Known = {
  /** Logins in their original case, by login in lower case. */
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

/** The repository of a reference in a text of `own`; undefined if it can't refer to any. */
export function repositoryNamed(
  { owner = '', repo = '' }: Partial<RepositoryName>,
  own: RepositoryName | undefined,
): RepositoryName | undefined {
  if (owner !== '' && repo !== '') return { owner, repo };
  return own && { owner: owner || own.owner, repo: repo || own.repo };
}

/** The key of a repository for looking up its autolinks. */
export const repositoryKey = ({ owner, repo }: RepositoryName): string => `${owner}/${repo}`.toLowerCase();

/** The key of an issue in `Known`. */
export const issueKey = ({ owner, repo }: RepositoryName, number: number): string => `${owner}/${repo}#${number}`.toLowerCase();

/** The key of a commit in `Known`, by the digits in the text. */
export const commitKey = ({ owner, repo }: RepositoryName, digits: string): string => `${owner}/${repo}@${digits}`.toLowerCase();

/**
 * A rendered text, for all readers. Undefined if the source is shown instead, since rendering takes too long or the HTML is too
 * large.
 */
export type RenderedText = { readonly parts: readonly RenderedPart[] | undefined };

/** The maximum number of characters of a text's HTML for any reader. */
export const sizeOfHtml = ({ parts = [] }: RenderedText, { html }: Pick<LinkContext, 'html'>): number =>
  sizeOfParts(parts) + referencesOf({ parts }).length * (html.length + charactersOfLink);
/** The approximate length of a link's tag and the path of its address, with the names of an owner and a repository. */
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

/** Two bytes for each character, and a fixed number for each reference. */
const sizeOf = (parts: readonly RenderedPart[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? 2 * part.length : bytesOfReference), 0);
const bytesOfReference = 500;

/** Returns undefined if the thread took too long, since it would again. */
async function unlessEnded<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ThreadEnded) return undefined;
    throw error;
  }
}

/** Returns undefined if too many texts of the caller wait. The text is rendered on a later request. */
async function unlessBusy<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The HTML of a Markdown text, with its references. The result is cached by text. */
export const renderForAll = async (wanted: MarkdownText, caller: Caller): Promise<RenderedText> =>
  (await unlessBusy(() => rendered.get({ ...wanted, caller }))) ?? { parts: undefined };

/** The words of a Markdown text without markup; the text itself if that takes too long. */
export const plainText = async (text: string, caller: Caller): Promise<string> =>
  (await unlessBusy(() => plain.get({ text, caller })))?.text ?? text;

type LinkContext = {
  /** The address of this server. */
  readonly html: string;
  /** The repository for references that name none. */
  readonly repository?: RepositoryName | undefined;
  /** If omitted, nothing is linked. */
  readonly known?: Known | undefined;
};

/** The HTML of a text for one reader: references to known targets become links. */
export function linkedHtml({ parts }: RenderedText, text: string, context: LinkContext): RenderedHtml {
  if (!parts) return verbatimHtml(text);
  // the renderer has sanitized the parts, and links are escaped
  return parts.map((part) => (typeof part === 'string' ? part : linkOf(part, context))).join('') as RenderedHtml;
}

/** The references of a rendered text. */
export const referencesOf = ({ parts = [] }: RenderedText): Reference[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.reference]));

/** The HTML of a Markdown text for one reader. */
export async function renderText(
  text: string,
  { caller, breaks = false, autolinks, ...context }: LinkContext & RenderOptions,
): Promise<RenderedHtml> {
  return linkedHtml(await renderForAll({ text, html: context.html, breaks, autolinks }, caller), text, context);
}

type RenderOptions = { readonly caller: Caller } & Partial<Pick<MarkdownText, 'breaks' | 'autolinks'>>;

/** The source of a text as HTML, for texts that aren't rendered. */
export const verbatimHtml = (text: string): RenderedHtml => `<pre>${escapeHtml(text)}</pre>\n` as RenderedHtml;

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
