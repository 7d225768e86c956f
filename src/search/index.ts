/** What other rooms may call. */
export type { CodeHit } from './code/hits.ts';
export { type IndexReport, indexRepositoryCode } from './code/index-repository.ts';
export { type CodeSearch, searchCode } from './code/search.ts';
export { codeTextMatches } from './code/text-matches.ts';
export { type CommitHit, type CommitSort, commitSorts } from './commits/hits.ts';
export { type CommitIndexReport, indexRepositoryCommits } from './commits/index-repository.ts';
export { type CommitSearch, searchCommits } from './commits/search.ts';
export { commitTextMatches } from './commits/text-matches.ts';
export { countedLanguageOf, languageOf } from './languages/language.ts';
export { parse, QueryError } from './query/index.ts';
export { indexRepositoryWords } from './repositories/index-repository.ts';
export { type RepositoryHit, repositorySorts, searchRepositories } from './repositories/search.ts';
export { repositoryTextMatches } from './repositories/text-matches.ts';
export { type Asked, maxRepositories, maxResults, type SearchResult } from './result.ts';
export type { TextMatch } from './text-match/fragments.ts';
