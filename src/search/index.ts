/** The exports for other folders. */

export { withFileNames } from './code/file-names.ts';
export type { CodeHit } from './code/hits.ts';
export { indexRepositoryCode } from './code/index-repository.ts';
export { searchCode } from './code/search.ts';
export { codeTextMatches } from './code/text-matches.ts';
export { hasCommitsBy } from './commits/authors.ts';
export { findIndexedCommits } from './commits/find.ts';
export type { CommitHit } from './commits/hits.ts';
export { indexRepositoryCommits } from './commits/index-repository.ts';
export { searchCommits } from './commits/search.ts';
export { commitTextMatches } from './commits/text-matches.ts';
export { selectIssuesInField } from './issues/fields.ts';
export type { IssueHit } from './issues/hits.ts';
export { indexIssues, indexIssuesWithName, indexMissingIssues, type NameOnIssues, reindexIssues } from './issues/index-issues.ts';
export { type SearchType, searchIssuesAs, searchTypes, type TypedResult } from './issues/similar.ts';
export { type IssueTextMatch, issueTextMatches } from './issues/text-matches.ts';
export { colorOfLanguage, countedLanguageOf, endingsOf, languageOf } from './languages/language.ts';
export {
  commitSorts,
  hasQualifier,
  issueSorts,
  type Node,
  parse,
  QueryError,
  repositorySorts,
  takeSort,
  userSorts,
} from './query/index.ts';
export { indexRepositoryWords } from './repositories/index-repository.ts';
export { repositoryReads } from './repositories/reads.ts';
export { type RepositoryHit, searchRepositories } from './repositories/search.ts';
export { repositoryTextMatches } from './repositories/text-matches.ts';
export { type Budget, maxResults, type SearchResult, startBudget } from './result.ts';
export { indexStale } from './stale.ts';
export type { TextMatch } from './text-match/fragments.ts';
export { changesWords, indexAccounts } from './users/index-accounts.ts';
export { searchUsers, type UserHit } from './users/search.ts';
export { userTextMatches } from './users/text-matches.ts';
