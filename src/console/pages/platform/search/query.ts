// What a person searches for: the kinds of results, and the query that each kind is searched with.
import type { PageQuery } from '#console/page.ts';
import type { IconName } from '#html/icons.ts';

export type ResultType = 'code' | 'repositories' | 'issues' | 'pulls' | 'commits' | 'users';

/** The kinds of results, in the order of their tabs. */
export const resultTypes: readonly (readonly [type: ResultType, icon: IconName, title: string])[] = [
  ['code', 'code', 'Code'],
  ['repositories', 'book', 'Repositories'],
  ['issues', 'circle-dot', 'Issues'],
  ['pulls', 'pull', 'Pull requests'],
  ['commits', 'commit', 'Commits'],
  ['users', 'people', 'People'],
];

const isType = (text: string | undefined): text is ResultType => resultTypes.some(([type]) => type === text);

/** The kind that is asked for, or else the one that the query speaks of. */
export function typeOf({ type, q = '' }: PageQuery): ResultType {
  if (isType(type)) return type;
  if (/(?:^|\s)(?:is|type):(?:pr|pull-request)\b/i.test(q)) return 'pulls';
  return /(?:^|\s)(?:is|type):issue\b/i.test(q) || /(?:^|\s)repo:/i.test(q) ? 'issues' : 'repositories';
}

/** Whether a query says by itself whether it is about issues or pull requests. */
const namesKind = /(?:^|[\s(])-?(?:is|type):(?:issue|pr|pull-request)\b/i;

/** The query for issues or for pull requests alone. */
export function ofKind(q: string, type: 'issues' | 'pulls'): string {
  if (namesKind.test(q)) return q;
  const kind = type === 'issues' ? 'is:issue' : 'is:pr';
  return /\s(?:OR|AND)\s/.test(q) ? `(${q}) ${kind}` : `${q} ${kind}`;
}

/** How issues are searched: by the words of a query, by its meaning, or by both. */
export const ways = [
  ['lexical', 'By words'],
  ['semantic', 'By meaning'],
  ['hybrid', 'By both'],
] as const;
type Way = (typeof ways)[number][0];

export const wayOf = ({ search_type }: PageQuery): Way => ways.find(([way]) => way === search_type)?.[0] ?? 'lexical';
