import { filtersIn, split } from '#search/query/filters.ts';
import type { RepositorySort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { searchedFieldsOf } from './filters.ts';

const countIssues: readonly string[] = ['good-first-issues', 'help-wanted-issues'];

/**
 * The data of repositories that a search reads in addition to their metadata. Its results depend on that data, so the caller
 * needs the permissions to read it.
 */
export function repositoryReads(query: Node, sort?: RepositorySort): ('contents' | 'issues')[] {
  const readsReadme = searchedFieldsOf(split(query).filters).includes('readme');
  const readsIssues = sort === 'help-wanted-issues' || filtersIn(query, ({ name }) => countIssues.includes(name)).length > 0;
  return [...(readsReadme ? (['contents'] as const) : []), ...(readsIssues ? (['issues'] as const) : [])];
}
