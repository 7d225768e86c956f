import { path } from '#endpoint/links.ts';
import { gather, keyed } from '#lib/collections.ts';
import { type Issue, loadIssues, presentIssues } from '#resources/issues/index.ts';
import { loadRepositories } from '#resources/repositories/index.ts';
import type { IssueHit, IssueTextMatch } from '#search/index.ts';
import { type Context, presentMatches } from './present.ts';
import type { IssueItem, TextMatch } from './schemas.ts';

/** Hits of an issue search. Issues that were deleted since they were indexed are left out. */
export async function presentIssueHits(
  context: Context,
  hits: readonly IssueHit[],
  matches: readonly (readonly IssueTextMatch[])[] | undefined,
): Promise<IssueItem[]> {
  const readable = await loadRepositories(context.db, context.viewer, gather(hits, 'repositoryId'));
  const repositories = new Set(readable.map(({ id }) => id));
  const issues = await loadIssues(context.db, gather(hits, 'id'));
  const there = hits.flatMap((hit, at) => {
    const row = issues.get(hit.id);
    return row && row.repository_id === hit.repositoryId && repositories.has(hit.repositoryId)
      ? [{ hit, row, own: matches && (matches[at] ?? []) }]
      : [];
  });
  const presented = keyed(await presentIssues(context, gather(there, 'row')), ({ id }) => id);
  return there.flatMap(({ hit, own }) => {
    const issue = presented.get(hit.id);
    if (!issue) return [];
    const { closed_by: _, ...item } = issue;
    const text_matches = own?.flatMap((match) => presentMatch(match, item));
    return [{ ...item, score: hit.score, ...(text_matches ? { text_matches } : {}) }];
  });
}

/** A text match with its address: matches in titles and bodies belong to the issue, those in comments to the comment. */
function presentMatch(match: IssueTextMatch, { url, repository_url }: Pick<Issue, 'url' | 'repository_url'>): TextMatch[] {
  const of =
    match.comment === undefined
      ? { url, type: 'Issue' }
      : { url: path(`${repository_url}/issues/comments`, match.comment), type: 'IssueComment' };
  return presentMatches([match], of);
}
