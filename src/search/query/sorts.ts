import { QueryError } from './errors.ts';
import { filtersIn } from './filters.ts';
import { group, type Node, negate } from './tree.ts';

/** The sorts of a search (document 1, Endpoints). */
export const commitSorts = ['author-date', 'committer-date'] as const;
export type CommitSort = (typeof commitSorts)[number];

export const issueSorts = [
  'comments',
  'reactions',
  'reactions-+1',
  'reactions--1',
  'reactions-smile',
  'reactions-thinking_face',
  'reactions-heart',
  'reactions-tada',
  'interactions',
  'created',
  'updated',
] as const;
export type IssueSort = (typeof issueSorts)[number];

export const repositorySorts = ['stars', 'forks', 'help-wanted-issues', 'updated'] as const;
export type RepositorySort = (typeof repositorySorts)[number];

export const userSorts = ['followers', 'repositories', 'joined'] as const;
export type UserSort = (typeof userSorts)[number];

/** Removes `sort:` from a query, and returns its value. `sort:relevance` is the default order. */
export function takeSort<Sort extends string>(
  query: Node,
  sorts: readonly Sort[],
): { query: Node; sort?: Sort; order?: 'asc' | 'desc' } {
  const named = filtersIn(query, ({ value }) => value.type === 'sort').find(({ negated }) => !negated);
  const rest = withoutSort(query);
  if (!rest) throw new QueryError('no_term', 'A search needs a word or a qualifier besides sort:.');
  if (named?.value.type !== 'sort') return { query: rest };
  const { by, order } = named.value;
  const sort = sorts.find((known) => known === by);
  return { query: rest, ...(sort ? { sort, order } : {}) };
}

function withoutSort(node: Node): Node | undefined {
  if (node.kind === 'text') return node;
  if (node.kind === 'qualifier') return node.value.type === 'sort' ? undefined : node;
  if (node.kind === 'not') {
    const part = withoutSort(node.part);
    return part && negate(part);
  }
  return group(
    node.kind,
    node.parts.map(withoutSort).filter((part) => part !== undefined),
  );
}
