// What a text refers to. It is read once, when the text is written; those who store it look up what is there and who may see it.

import { gather } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { textLimits } from './limits.ts';
import { htmlPieces, inlineText, OpenTags, parseMarkdown } from './markdown.ts';
import { findReferences, mayRefer, type Reference } from './references.ts';

type Named<Kind extends Reference['kind']> = Omit<Extract<Reference, { kind: Kind }>, 'kind'>;

/** What a text refers to, each once, in the order of their first places. All names are in lower case. */
export type TextReferences = {
  /** Logins that are mentioned. `@org/team` isn't among them. */
  readonly mentions: readonly string[];
  readonly teamMentions: readonly Named<'team'>[];
  /** Issues; without an owner, of the text's own repository. `closes`: a closing keyword stands before it at least once. */
  readonly issues: readonly Named<'issue'>[];
  /**
   * Commits, by 7 to 40 digits of their ids. Words that look so are among them: whether there is such a commit isn't known here.
   */
  readonly commits: readonly Named<'commit'>[];
};

/** `html` is the address of this server: with it, full addresses of its issues and commits are references, too. */
type Options = { readonly html?: string | undefined };

const most = fixedValue(textLimits.references);

/**
 * What a Markdown text refers to, outside code, links' texts and targets, and HTML comments.
 *
 * It runs in a worker thread where the text is long: see `text-references.ts`.
 *
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

/** What a commit's message refers to: it is plain text, in which every word counts. */
export function readCommitMessage(message: string, { html }: Options = {}): TextReferences {
  const references = collection();
  references.add(gather(findReferences(message, html), 'reference'));
  return references.all();
}

/** References, each once, as far as they count. */
export function collectReferences(all: readonly Reference[]): TextReferences {
  const references = collection();
  references.add(all);
  return references.all();
}

/** References as they are found; of each kind so many at most. */
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

/** A key that is there keeps its place. */
function put<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size < most || map.has(key)) map.set(key, value);
}
