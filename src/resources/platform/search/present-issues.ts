import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, keyed } from '#lib/collections.ts';
import { type Issue, loadIssues, presentIssues } from '#resources/collaboration/issues/index.ts';
import { loadReadableNamedRepositories, namedRepositories } from '#resources/repositories/repositories/index.ts';
import type { IssueHit, IssueTextMatch } from '#search/index.ts';
import type { Matched } from './answer.ts';
import { presentMatch } from './present.ts';
import type { IssueItem, TextMatch } from './schemas.ts';

/** Hits of an issue search. Issues that were deleted after indexing are omitted. */
export async function presentIssueHits(scope: Scope, found: readonly Matched<IssueHit, IssueTextMatch>[]): Promise<IssueItem[]> {
  const hits = gather(found, 'hit');
  const [repositories, issues] = await Promise.all([
    loadReadableNamedRepositories(scope.db, scope.viewer, gather(hits, 'repositoryId')),
    loadIssues(scope.db, gather(hits, 'id')),
  ]);
  scope.load.prime(
    namedRepositories,
    repositories.map((repository) => [repository.id, repository]),
  );
  const readable = new Set(gather(repositories, 'id'));
  const existing = hits.flatMap(({ id, repositoryId }) => {
    const row = issues.get(id);
    return row && row.repository_id === repositoryId && readable.has(repositoryId) ? [row] : [];
  });
  const presented = keyed(await presentIssues(scope, existing), ({ id }) => id);
  return found.flatMap(({ hit, matches }) => {
    const issue = presented.get(hit.id);
    if (!issue) return [];
    const { closed_by: _, parent_issue_url: __, ...item } = issue;
    const text_matches = matches?.map((match) => presentOwnMatch(match, item));
    return [{ ...item, score: hit.score, ...(text_matches ? { text_matches } : {}) }];
  });
}

/** A text match with its address: matches in titles and bodies belong to the issue, and matches in comments to the comment. */
const presentOwnMatch = (match: IssueTextMatch, { url, repository_url }: Pick<Issue, 'url' | 'repository_url'>): TextMatch =>
  presentMatch(
    match,
    match.comment === undefined
      ? { url, type: 'Issue' }
      : { url: path(`${repository_url}/issues/comments`, match.comment), type: 'IssueComment' },
  );
