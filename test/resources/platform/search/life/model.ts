import type { Id } from '#lib/id.ts';

/**
 * What there is in a small world, and what each search of each viewer must therefore find. It knows nothing of Hearth's insides.
 */

export const viewers = ['owner', 'member', 'mate', 'guest', 'robot', 'nobody'] as const;
export type Viewer = (typeof viewers)[number];
export const accounts = ['acme', 'other', 'ada'] as const;
/** Two organizations of the owner's, and the owner herself. */
export type Account = (typeof accounts)[number];
export type Visibility = 'public' | 'private' | 'internal';

export type Issue = {
  title: string;
  body: string;
  comments: { id: number; body: string }[];
  open: boolean;
  /** Why it was closed or reopened the last time. */
  reason: string | undefined;
  labels: Set<string>;
};

export type Repository = {
  id: Id<'repositories'>;
  owner: Account;
  name: string;
  description: string;
  topics: string[];
  visibility: Visibility;
  archived: boolean;
  hasIssues: boolean;
  parent: Repository | undefined;
  source: Repository | undefined;
  /** Whether the guest is a collaborator, and whether the mate's team has access. */
  guest: boolean;
  team: boolean;
  defaultBranch: string;
  /** The commit of each branch. */
  branches: Map<string, string>;
  labels: Set<string>;
  issues: Issue[];
};

export type Commit = { message: string; files: Record<string, string>; parent: string | undefined };

export type Model = {
  logins: Record<Account, string>;
  /** The words of all texts. No other text of the server has them. */
  words: string[];
  repositories: Repository[];
  commits: Map<string, Commit>;
  /** Whether the member is one of acme, and whether acme's members may read all its repositories. */
  isMember: boolean;
  membersRead: boolean;
  /** Whether the indexes know everything. Access isn't in them. */
  settled: boolean;
};

export const fullName = ({ logins }: Model, { owner, name }: Repository): string => `${logins[owner]}/${name}`;

export const tipOf = (model: Model, { branches, defaultBranch }: Repository): Commit | undefined =>
  model.commits.get(branches.get(defaultBranch) ?? '');

/** The robot has a token of the owner's for acme alone. */
export function maySee({ isMember, membersRead }: Model, repository: Repository, viewer: Viewer): boolean {
  const { owner, visibility, guest, team } = repository;
  if (visibility === 'public' || viewer === 'owner') return true;
  if (viewer === 'robot') return owner === 'acme';
  if (viewer === 'nobody') return false;
  if (visibility === 'internal' || (viewer === 'guest' && guest) || (viewer === 'mate' && team)) return true;
  return owner === 'acme' && membersRead && (viewer === 'mate' || (viewer === 'member' && isMember));
}

export const kinds = ['code', 'commits', 'issues', 'repositories'] as const;
export type Kind = (typeof kinds)[number];

export type Qualifier = { name: string; value: string; negated?: boolean };
/** A search for any of some words or phrases; for anything, where none are given. */
export type Question = { kind: Kind; words: string[]; qualifiers: Qualifier[]; perPage?: number };

export const queryOf = ({ words, qualifiers }: Question): string =>
  [
    words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' OR '),
    ...qualifiers.map(({ name, value, negated }) => `${negated ? '-' : ''}${name}:${value}`),
  ].join(' ');

/** Something that may be found: its name, and the texts by which it is found, under the places that `in:` names. */
export type Item = { key: string; repository: Repository; texts: Record<string, string>; issue?: Issue };

/** What a search finds; or what it is refused for: that the caller isn't signed in, or that nothing named is there for them. */
export type Answer = Item[] | 'unauthenticated' | 'inaccessible';

export function answerTo(model: Model, question: Question, viewer: Viewer): Answer {
  const { kind, words, qualifiers } = question;
  if (kind === 'code' && viewer === 'nobody') return 'unauthenticated';
  const visible = model.repositories.filter((repository) => maySee(model, repository, viewer));
  // What is excluded is named, too: rule 6 holds for it.
  const scopes = qualifiers.filter(({ name }) => isScope(name));
  const isThere = (scope: Qualifier) => scope.name !== 'repo' || visible.some((repository) => isIn(model, repository, scope));
  if (scopes.length > 0 && !scopes.some(isThere)) return 'inaccessible';
  return visible
    .filter((repository) => isSearched(model, repository, question))
    .flatMap((repository) => itemsOf(model, repository, kind))
    .filter(({ texts, issue }) => {
      const places = qualifiers.filter(({ name }) => name === 'in').map(({ value }) => value);
      const searched = Object.entries(texts).filter(([place]) =>
        places.length > 0 ? places.includes(place) : place !== 'readme',
      );
      const hasWord = words.length === 0 || searched.some(([, text]) => words.some((word) => text.includes(word)));
      return hasWord && (!issue || qualifiers.every((qualifier) => isSuchIssue(issue, qualifier)));
    });
}

/** Whether a qualifier names repositories. */
export const isScope = (name: string): boolean => ['repo', 'user', 'org'].includes(name);
const isIn = (model: Model, repository: Repository, { name, value }: Qualifier): boolean =>
  value === (name === 'repo' ? fullName(model, repository) : model.logins[repository.owner]);

/** Whether a search looks into a repository, as far as the query says so: named, not excluded, of the wanted kind. */
function isSearched(model: Model, repository: Repository, { kind, qualifiers }: Question): boolean {
  const scopes = qualifiers.filter(({ name, negated }) => isScope(name) && !negated);
  if (scopes.length > 0 && !scopes.some((scope) => isIn(model, repository, scope))) return false;
  if (qualifiers.some((scope) => isScope(scope.name) && scope.negated && isIn(model, repository, scope))) return false;
  if (kind === 'issues' && !repository.hasIssues) return false;
  const named = scopes.some((scope) => scope.name === 'repo' && isIn(model, repository, scope));
  const leavesForksOut = ['code', 'repositories'].includes(kind) && !qualifiers.some(({ name }) => name === 'fork');
  if (isFork(repository) && leavesForksOut && !named) return false;
  return qualifiers.every(({ name, value }) => {
    if (name === 'is' && value === 'private') return repository.visibility !== 'public';
    if (name === 'is' && value === 'public') return repository.visibility === 'public';
    if (name === 'archived') return String(repository.archived) === value;
    return name !== 'fork' || value === 'true' || isFork(repository) === (value === 'only');
  });
}

const isFork = ({ parent, source }: Repository): boolean => parent !== undefined || source !== undefined;

function isSuchIssue({ open, reason, labels, comments }: Issue, { name, value }: Qualifier): boolean {
  if (name === 'is' && value === 'open') return open;
  if (name === 'is' && value === 'closed') return !open;
  if (name === 'reason') return reason === value;
  if (name === 'comments') return comments.length > 0;
  if (name === 'label') return labels.has(value);
  return name !== 'no' || labels.size === 0;
}

function itemsOf(model: Model, repository: Repository, kind: Kind): Item[] {
  const place = fullName(model, repository);
  const tip = tipOf(model, repository);
  switch (kind) {
    case 'code':
      return Object.entries(tip?.files ?? {}).map(([path, file]) => ({
        key: `${place}:${path}`,
        repository,
        texts: { file, path },
      }));
    case 'commits':
      return historyOf(model, repository.branches.get(repository.defaultBranch)).map(([oid, { message }]) => ({
        key: `${place}:${oid}`,
        repository,
        texts: { message },
      }));
    case 'issues':
      return repository.issues.map((issue, index) => ({
        key: `${place}#${index + 1}`,
        repository,
        texts: { title: issue.title, body: issue.body, comments: issue.comments.map(({ body }) => body).join('\n') },
        issue,
      }));
    case 'repositories': {
      const { name, description, topics } = repository;
      return [
        { key: place, repository, texts: { name, description, topics: topics.join(' '), readme: tip?.files['README.md'] ?? '' } },
      ];
    }
  }
}

function historyOf({ commits }: Model, tip: string | undefined): [string, Commit][] {
  const history: [string, Commit][] = [];
  for (let oid = tip; oid !== undefined; ) {
    const commit = commits.get(oid);
    if (!commit) break;
    history.push([oid, commit]);
    oid = commit.parent;
  }
  return history;
}
