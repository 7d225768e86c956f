// The references of a text. They are read once, when the text is written. Callers look up which targets exist, and who may see
// them.

import { gather } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { textLimits } from './limits.ts';
import { htmlPieces, inlineText, OpenTags, parseMarkdown } from './markdown.ts';
import { findReferences, mayRefer, type Reference } from './references.ts';

type Named<Kind extends Reference['kind']> = Omit<Extract<Reference, { kind: Kind }>, 'kind'>;

/** The distinct references of a text, in order of their first occurrence. All names are in lower case. */
export type TextReferences = {
  /** Mentioned logins, without `@org/team`. */
  readonly mentions: readonly string[];
  readonly teamMentions: readonly Named<'team'>[];
  /**
   * Issues. Without an owner, they belong to the text's own repository. `closes`: a closing keyword precedes it at least once.
   */
  readonly issues: readonly Named<'issue'>[];
  /**
   * Commits, by 7 to 40 digits of their ids. These may be ordinary words, since it isn't known here whether such a commit exists.
   */
  readonly commits: readonly Named<'commit'>[];
};

/** `html` is the address of this server. If it is given, full addresses of its issues and commits are references too. */
type Options = { readonly html?: string | undefined };

const most = fixedValue(textLimits.references);

/**
 * The references of a Markdown text, outside of code, texts and targets of links, and HTML comments.
 * Long texts are read in a worker thread: see `text-references.ts`.
 * @example readMarkdown({ text: 'Fixes #12, says @Ada' }).issues // [{ number: 12, closes: true }]
 */
export function readMarkdown({ text, html }: Options & { readonly text: string }): TextReferences {
  const references = collection();
  if (!mayRefer(text)) return references.all();
  const open = new OpenTags();
  for (const { type, content, children } of parseMarkdown(text)) {
    if (type === 'inline') references.add(gather(findReferences(inlineText(children ?? [], open).text, html), 'reference'));
    if (type !== 'html_block') continue;
    for (const { source, isText } of htmlPieces(content, open))
      if (isText) references.add(gather(findReferences(source, html), 'reference'));
  }
  return references.all();
}

/** The references of a commit's message, which is plain text without markup. */
export function readCommitMessage(message: string, { html }: Options = {}): TextReferences {
  const references = collection();
  references.add(gather(findReferences(message, html), 'reference'));
  return references.all();
}

/** The distinct references of a text, up to the limits. */
export function collectReferences(all: readonly Reference[]): TextReferences {
  const references = collection();
  references.add(all);
  return references.all();
}

/** Collects references, with a limit for each kind. */
function collection(): { add: (all: readonly Reference[]) => void; all: () => TextReferences } {
  const mentions = new Set<string>();
  const teams = new Map<string, Named<'team'>>();
  const issues = new Map<string, Named<'issue'>>();
  const commits = new Map<string, Named<'commit'>>();

  function add(reference: Reference): void {
    switch (reference.kind) {
      case 'mention':
        if (mentions.size < most) mentions.add(reference.login);
        break;
      case 'team': {
        const { kind: _, ...team } = reference;
        put(teams, `${team.org}/${team.team}`, team);
        break;
      }
      case 'issue': {
        const { kind: _, ...issue } = reference;
        const key = `${issue.owner}/${issue.repo}#${issue.number}`;
        put(issues, key, { ...issue, closes: issue.closes || issues.get(key)?.closes === true });
        break;
      }
      case 'commit': {
        const { kind: _, ...commit } = reference;
        put(commits, `${commit.owner}/${commit.repo}@${commit.sha}`, commit);
        break;
      }
    }
  }

  return {
    add: (all) => all.forEach(add),
    all: () => ({
      mentions: [...mentions],
      teamMentions: [...teams.values()],
      issues: [...issues.values()],
      commits: [...commits.values()],
    }),
  };
}

/** An existing key keeps its position. */
function put<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size < most || map.has(key)) map.set(key, value);
}
