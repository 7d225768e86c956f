import { path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, keyed } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestampOrNull } from '#lib/time.ts';
import { presentIssues } from '#resources/collaboration/issues/index.ts';
import { loadAccountsOnce, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import {
  loadReadableNamedRepositories,
  namedRepositories,
  presentRepositories,
} from '#resources/repositories/repositories/index.ts';
import { loadRequested } from './present-reviewers.ts';
import type { FullPullRequest, PullRequest } from './schemas.ts';
import type { PullRow } from './store.ts';
import type { Testing } from './test-merges.ts';

/**
 * Pull requests of a whole page. What they have in common with issues is presented as that of issues; a head in a repository that
 * the viewer may not read is shown without it.
 */
export async function presentPulls(scope: Scope, rows: readonly PullRow[]): Promise<PullRequest[]> {
  if (rows.length === 0) return [];
  const { links, load } = scope;
  const [issues, bases, heads, accounts, requested] = await Promise.all([
    presentIssues(scope, rows),
    load.all(namedRepositories, gather(rows, 'repository_id')),
    loadHeads(scope, rows),
    loadAccountsOnce(scope, gather(rows, 'head_owner_id')),
    loadRequested(scope, gather(rows, 'id')),
  ]);
  const shown = [...new Map([...bases, ...heads]).values()];
  const repositories = keyed(await presentRepositories(scope, shown), ({ id }) => id as number);
  return rows.map((row, at) => {
    const issue = issues[at];
    if (!issue) throw new Error('A pull request was not presented');
    const base = getOrThrow(bases, row.repository_id);
    const repository = repositoryUrl(links, base);
    const url = path(`${repository}/pulls`, row.number);
    const basePresented = getOrThrow(repositories, row.repository_id as number);
    const headOwner = getOptional(accounts, row.head_owner_id);
    const urls = {
      commits_url: `${url}/commits`,
      review_comments_url: `${url}/comments`,
      review_comment_url: `${repository}/pulls/comments{/number}`,
      comments_url: issue.comments_url,
      statuses_url: `${repository}/statuses/${row.head_sha}`,
    };
    return {
      url,
      id: row.pull_id,
      node_id: nodeId('PullRequest', row.pull_id),
      html_url: issue.html_url,
      diff_url: `${issue.html_url}.diff`,
      patch_url: `${issue.html_url}.patch`,
      issue_url: issue.url,
      ...urls,
      number: row.number,
      state: issue.state,
      locked: issue.locked,
      title: issue.title,
      user: issue.user,
      ...textsOf(issue),
      // In the public description, labels of pull requests always have a text.
      labels: issue.labels.map((label) => ({ ...label, description: label.description ?? '' })),
      milestone: issue.milestone,
      active_lock_reason: issue.active_lock_reason,
      created_at: issue.created_at,
      updated_at: issue.updated_at,
      closed_at: issue.closed_at,
      merged_at: timestampOrNull(row.merged_at),
      merge_commit_sha: row.merge_commit_sha,
      assignee: issue.assignee,
      assignees: issue.assignees,
      requested_reviewers: requested.usersOf(row.id),
      requested_teams: requested.teamsOf(row.id),
      head: {
        label: `${headOwner?.login ?? 'unknown'}:${row.head_ref}`,
        ref: row.head_ref,
        sha: row.head_sha,
        user: presentUserOrNull(links, headOwner),
        repo: getOptional(repositories, row.head_repository_id as number | null) ?? null,
      },
      base: {
        label: `${base.owner.login}:${row.base_ref}`,
        ref: row.base_ref,
        sha: row.base_sha,
        user: basePresented.owner,
        repo: basePresented,
      },
      _links: {
        self: { href: url },
        html: { href: issue.html_url },
        issue: { href: issue.url },
        comments: { href: urls.comments_url },
        review_comments: { href: urls.review_comments_url },
        review_comment: { href: urls.review_comment_url },
        commits: { href: urls.commits_url },
        statuses: { href: urls.statuses_url },
      },
      author_association: issue.author_association,
      auto_merge: null,
      draft: row.is_draft,
    };
  });
}

/** The repositories of heads that the viewer may read; heads in the base repository take no statement. */
async function loadHeads({ db, viewer }: Scope, rows: readonly PullRow[]) {
  const others = rows.filter(({ head_repository_id, repository_id }) => head_repository_id !== repository_id);
  const ids = others.flatMap(({ head_repository_id }) => head_repository_id ?? []);
  const found = await loadReadableNamedRepositories(db, viewer, ids);
  return keyed(found, ({ id }) => id);
}

const textsOf = ({ body, body_text, body_html }: Pick<PullRequest, 'body' | 'body_text' | 'body_html'>) => ({
  ...(body === undefined ? {} : { body }),
  ...(body_text === undefined ? {} : { body_text }),
  ...(body_html === undefined ? {} : { body_html }),
});

/** Full pull requests, each with what is known of its merge: that may be out of date in the rows. */
export async function presentFullPulls(
  scope: Scope,
  rows: readonly { row: PullRow; testing: Testing }[],
): Promise<FullPullRequest[]> {
  const { links } = scope;
  const [presented, accounts] = await Promise.all([
    presentPulls(
      scope,
      rows.map(({ row }) => row),
    ),
    loadAccountsOnce(
      scope,
      rows.flatMap(({ row }) => row.merged_by ?? []),
    ),
  ]);
  return rows.flatMap(({ row, testing }, at) => {
    const pull = presented[at];
    if (!pull) return [];
    const { mergeable, rebaseable, state, mergeCommit } = testing;
    return {
      ...pull,
      requested_teams: pull.requested_teams.map(({ parent: _, permissions: _permissions, ...team }) => team),
      merge_commit_sha: mergeCommit,
      merged: row.merged_at !== null,
      mergeable,
      rebaseable,
      mergeable_state: state,
      merged_by: presentUserOrNull(links, getOptional(accounts, row.merged_by)),
      comments: row.comments_count,
      review_comments: row.review_comments_count,
      maintainer_can_modify: row.maintainer_can_modify,
      commits: row.commits_count,
      additions: row.additions,
      deletions: row.deletions,
      changed_files: row.changed_files,
    };
  });
}

/** One full pull request. */
export const presentFullPull = async (scope: Scope, row: PullRow, testing: Testing): Promise<FullPullRequest> =>
  firstOrNotFound(await presentFullPulls(scope, [{ row, testing }]));

/** One pull request as lists show it. */
export const presentPull = async (scope: Scope, row: PullRow): Promise<PullRequest> =>
  firstOrNotFound(await presentPulls(scope, [row]));
