import { commitSorts, issueSorts, repositorySorts, userSorts } from './sorts.ts';
import { issueField, type ValueType } from './values.ts';

export const searchKinds = ['code', 'commits', 'issues', 'repositories', 'users'] as const;
export type SearchKind = (typeof searchKinds)[number];

/**
 * The values of a qualifier. If it is repeated in the basic grammar, `any` means one of its values, and `all` each of them.
 * `later` is data that Hearth doesn't have yet: the qualifier is valid and matches nothing.
 */
export type QualifierSpec = { value: ValueType; repeated: 'any' | 'all'; later?: string };

const any = (value: ValueType, later?: string): QualifierSpec => ({ value, repeated: 'any', ...(later ? { later } : {}) });
const all = (value: ValueType, later?: string): QualifierSpec => ({ value, repeated: 'all', ...(later ? { later } : {}) });

const text: ValueType = { type: 'text' };
const words: ValueType = { type: 'words' };
const number: ValueType = { type: 'number' };
const date: ValueType = { type: 'date' };
const flag: ValueType = { type: 'flag' };
const login: ValueType = { type: 'login' };
const anyLogin: ValueType = { type: 'login', any: true };
const hash: ValueType = { type: 'hash' };
const issue: ValueType = { type: 'issue' };
const choice = (...of: string[]): ValueType => ({ type: 'choice', of });
const set = (...of: string[]): ValueType => ({ type: 'set', of });

const sort = (of: readonly string[]): QualifierSpec => any({ type: 'sort', of });

const scope = { repo: any({ type: 'repository' }), user: any(login), org: any(login) };

const code: Record<string, QualifierSpec> = {
  ...scope,
  in: all(set('file', 'path')),
  path: all(text),
  filename: any(text),
  extension: any(text),
  language: any(text),
  size: all(number),
  fork: all(choice('true', 'only', 'false')),
  is: all(choice('public', 'private', 'internal')),
  archived: all(flag),
};

const commits: Record<string, QualifierSpec> = {
  ...scope,
  author: any(login),
  committer: any(login),
  'author-name': all(text),
  'committer-name': all(text),
  'author-email': any(text),
  'committer-email': any(text),
  'author-date': all(date),
  'committer-date': all(date),
  merge: all(flag),
  hash: any(hash),
  parent: all(hash),
  tree: any(hash),
  sort: sort(commitSorts),
  is: all(choice('public', 'private', 'internal')),
};

const attributes: ValueType = {
  type: 'choice',
  of: ['label', 'milestone', 'assignee', 'project', 'type', 'parent-issue', 'sub-issue', 'sub-issues', 'blocked-by', 'blocking'],
  fields: true,
};

const issues: Record<string, QualifierSpec> = {
  ...scope,
  in: all(set('title', 'body', 'comments')),
  is: all(
    choice(
      'issue',
      'pr',
      'pull-request',
      'open',
      'closed',
      'merged',
      'unmerged',
      'draft',
      'locked',
      'unlocked',
      'queued',
      'blocked',
      'blocking',
      'public',
      'private',
      'internal',
    ),
  ),
  type: all(text),
  state: all(choice('open', 'closed')),
  reason: any(choice('completed', 'not planned', 'not_planned', 'duplicate', 'reopened')),
  author: any(login),
  assignee: all(anyLogin),
  mentions: all(login),
  commenter: all(login),
  involves: any(login),
  team: all({ type: 'team' }),
  label: all(words),
  milestone: any(text),
  no: all(attributes),
  has: all(attributes),
  linked: all(choice('pr', 'issue')),
  head: any(text),
  base: any(text),
  draft: all(flag),
  review: all(choice('none', 'required', 'approved', 'changes_requested')),
  'reviewed-by': all(login),
  'review-requested': all(login),
  'user-review-requested': all(login),
  'team-review-requested': all({ type: 'team' }),
  'parent-issue': any(issue),
  'sub-issue': any(issue),
  'blocked-by': any(issue),
  blocking: any(issue),
  project: any(text, 'projects'),
  status: any(choice('pending', 'success', 'failure')),
  sha: any(hash),
  comments: all(number),
  interactions: all(number),
  reactions: all(number),
  created: all(date),
  updated: all(date),
  closed: all(date),
  merged: all(date),
  archived: all(flag),
  language: any(text),
  sort: sort(issueSorts),
};

const repositories: Record<string, QualifierSpec> = {
  ...scope,
  in: all(set('name', 'description', 'topics', 'readme')),
  size: all(number),
  followers: all(number),
  forks: all(number),
  stars: all(number),
  topics: all(number),
  topic: all(text),
  language: any(text),
  license: any(text),
  created: all(date),
  pushed: all(date),
  fork: all(choice('true', 'only', 'false')),
  is: all(choice('public', 'private', 'internal', 'sponsorable')),
  has: all(choice('funding-file'), 'sponsors'),
  archived: all(flag),
  mirror: all(flag),
  template: all(flag),
  'good-first-issues': all(number),
  'help-wanted-issues': all(number),
  sort: sort(repositorySorts),
};

const users: Record<string, QualifierSpec> = {
  user: any(login),
  org: any(login),
  type: any(choice('user', 'org')),
  in: all(set('login', 'name', 'email')),
  fullname: any(text),
  location: any(text),
  language: any(text),
  repos: all(number),
  followers: all(number, 'followers'),
  created: all(date),
  is: all(choice('sponsorable'), 'sponsors'),
  sort: sort(userSorts),
};

/** The qualifiers of all searches. Others are treated as text. */
export const qualifiers: Record<SearchKind, Record<string, QualifierSpec>> = { code, commits, issues, repositories, users };

/**
 * The specification of a qualifier, whose `name` must be in lower case. In issue searches, fields of the organization are also
 * qualifiers.
 */
export function findQualifier(kind: SearchKind, name: string): QualifierSpec | undefined {
  if (kind === 'issues' && issueField.test(name)) return all(text);
  return Object.hasOwn(qualifiers[kind], name) ? qualifiers[kind][name] : undefined;
}
