import { filtersIn, split } from '#search/query/filters.ts';
import type { RepositorySort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { placesOf } from './filters.ts';

const countIssues: readonly string[] = ['good-first-issues', 'help-wanted-issues'];

/** What of repositories a search reads beside their metadata: its results tell of that to whoever may read it alone. */
export function repositoryReads(query: Node, sort?: RepositorySort): ('contents' | 'issues')[] {
  const readsReadme = placesOf(split(query).filters).includes('readme');
  const readsIssues = sort === 'help-wanted-issues' || filtersIn(query, ({ name }) => countIssues.includes(name)).length > 0;
  return [...(readsReadme ? (['contents'] as const) : []), ...(readsIssues ? (['issues'] as const) : [])];
}
