// Finds references in words and their positions. Callers decide about their targets, and who may see them.

/**
 * A reference in a text. Names are in lower case. Without an owner, the target is in the text's own repository. A commit with
 * only an owner is in the owner's repository of the same name.
 */
export type Reference =
  | { readonly kind: 'mention'; readonly login: string }
  | { readonly kind: 'team'; readonly org: string; readonly team: string }
  | { readonly kind: 'issue'; readonly owner?: string; readonly repo?: string; readonly number: number; readonly closes: boolean }
  | { readonly kind: 'commit'; readonly owner?: string; readonly repo?: string; readonly sha: string };

/** A reference with its position in the text. */
type Found = { readonly start: number; readonly end: number; readonly reference: Reference };

const loginPattern = '[a-z\\d](?:[a-z\\d]|-(?=[a-z\\d])){0,38}';
const repositoryPattern = '[\\w.-]{1,100}';
/** Must not follow a reference: more of a word, or a file extension. */
const wordEnd = '(?![\\w/@-]|\\.\\w)';

/** The possible beginning of a reference. A URL is matched as a whole, so that nothing inside it matches. */
const candidate = new RegExp(
  `https?://[^\\s<>"\\uFFFC\\u2060]+|[@#]|(?<![\\w-])gh-(?=\\d)|(?<![\\w/.#@-])[\\da-f]{7,40}(?![#])${wordEnd}`,
  'gi',
);
const mentioned = new RegExp(`@(${loginPattern})(?:/([a-z\\d][a-z\\d_-]{0,99}))?${wordEnd}`, 'iy');
const numbered = /(?:#|gh-)([1-9]\d{0,9})(?!\w|\.\d)/iy;
const committed = new RegExp(`@([\\da-f]{7,40})${wordEnd}`, 'iy');
/** The repository before `#12` or `@sha`. */
const before = new RegExp(`(?<![\\w./-])(${loginPattern})/(${repositoryPattern})$`, 'i');
const longestBefore = 39 + 1 + 100;
/** The owner before `@sha`. */
const ownerBefore = new RegExp(`(?<![\\w./#@-])(${loginPattern})$`, 'i');
const longestOwner = 39;
const closing = /(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::[\s\u2060]{0,8}|[\s\u2060]{1,8})$/i;
const longestClosing = 8 + 1 + 8;
/** The rest of a URL of this server. */
const address = new RegExp(
  `^(${loginPattern})/(${repositoryPattern})/(?:(?:issues|pull)/([1-9]\\d{0,9})|commit/([\\da-f]{7,40}))(?![\\w-])`,
  'i',
);
const largestNumber = 2_147_483_647;

/**
 * All references in words, in order. The time is linear in the text's length, for any text. With `html`, the URL of this server,
 * URLs of its issues and commits count too.
 */
export function findReferences(text: string, html?: string): Found[] {
  const found: Found[] = [];
  for (const { 0: matched, index } of text.matchAll(candidate)) {
    const one = referenceAt(text, { matched, index, html });
    if (one) found.push(one);
  }
  return found;
}

/** Whether words may contain a reference: a fast check before a text is parsed. */
export const mayRefer = (text: string): boolean => text.search(candidate) >= 0;

type Candidate = { matched: string; index: number; html: string | undefined };

function referenceAt(text: string, { matched, index, html }: Candidate): Found | undefined {
  if (matched === '@') return mentionAt(text, index) ?? commitAt(text, index);
  if (matched === '#' || /^gh-/i.test(matched)) return issueAt(text, index);
  if (matched.includes(':')) return html === undefined ? undefined : addressAt(text, { matched, index, html });
  return { start: index, end: index + matched.length, reference: { kind: 'commit', sha: matched.toLowerCase() } };
}

function mentionAt(text: string, start: number): Found | undefined {
  if (/[\w@/]/.test(text.charAt(start - 1))) return undefined;
  const match = matchAt(mentioned, text, start);
  if (!match) return undefined;
  const [whole, login = '', team] = match;
  const end = start + whole.length;
  if (team === undefined) return { start, end, reference: { kind: 'mention', login: login.toLowerCase() } };
  return { start, end, reference: { kind: 'team', org: login.toLowerCase(), team: team.toLowerCase() } };
}

function commitAt(text: string, at: number): Found | undefined {
  const named = repositoryBefore(text, at) ?? findOwnerBefore(text, at);
  const match = named && matchAt(committed, text, at);
  if (!match) return undefined;
  const [whole, sha = ''] = match;
  const { start, ...repository } = named;
  return { start, end: at + whole.length, reference: { kind: 'commit', ...repository, sha: sha.toLowerCase() } };
}

function issueAt(text: string, at: number): Found | undefined {
  const match = matchAt(numbered, text, at);
  const number = Number(match?.[1]);
  if (!match || number > largestNumber) return undefined;
  const end = at + match[0].length;
  const previous = text.charAt(at - 1);
  if (/[&/#@]/.test(previous)) return undefined;
  const repository = repositoryBefore(text, at);
  if (!repository && /\w/.test(previous)) return undefined;
  if (!repository) return { start: at, end, reference: { kind: 'issue', number, closes: closesAt(text, at) } };
  const { start, owner, repo } = repository;
  return { start, end, reference: { kind: 'issue', owner, repo, number, closes: closesAt(text, start) } };
}

function addressAt(text: string, { matched, index: start, html }: Candidate & { html: string }): Found | undefined {
  if (!matched.startsWith(`${html}/`)) return undefined;
  const match = address.exec(matched.slice(html.length + 1));
  if (!match) return undefined;
  const [whole, owner = '', repo = '', digits, sha] = match;
  const end = start + html.length + 1 + whole.length;
  const repository = { owner: owner.toLowerCase(), repo: repo.toLowerCase() };
  if (sha !== undefined) return { start, end, reference: { kind: 'commit', ...repository, sha: sha.toLowerCase() } };
  const number = Number(digits);
  if (number > largestNumber) return undefined;
  return { start, end, reference: { kind: 'issue', ...repository, number, closes: closesAt(text, start) } };
}

function repositoryBefore(text: string, at: number): { start: number; owner: string; repo: string } | undefined {
  if (!/[\w.-]/.test(text.charAt(at - 1))) return undefined;
  const [whole, owner = '', repo = ''] = before.exec(text.slice(Math.max(0, at - longestBefore - 1), at)) ?? [];
  if (whole === undefined) return undefined;
  return { start: at - whole.length, owner: owner.toLowerCase(), repo: repo.toLowerCase() };
}

function findOwnerBefore(text: string, at: number): { start: number; owner: string } | undefined {
  if (!/[a-z\d]/i.test(text.charAt(at - 1))) return undefined;
  const [owner] = ownerBefore.exec(text.slice(Math.max(0, at - longestOwner - 1), at)) ?? [];
  return owner === undefined ? undefined : { start: at - owner.length, owner: owner.toLowerCase() };
}

const closesAt = (text: string, at: number): boolean => closing.test(text.slice(Math.max(0, at - longestClosing - 1), at));

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
