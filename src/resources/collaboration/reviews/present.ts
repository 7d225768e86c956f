import { type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { issueNumbers, loadAssociations, presentTexts } from '#resources/collaboration/issues/index.ts';
import { presentRollup } from '#resources/collaboration/reactions/index.ts';
import { loadAccountsOnce, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { Review, ReviewComment } from './schemas.ts';
import type { ReviewCommentRow, ReviewRow } from './store.ts';

/** All reviews and comments that are presented together belong to one repository. */
type ReviewedRepository = NamedRepository & { id: Id<'repositories'>; owner_id: Id<'accounts'> };

type PullNumber = { readonly id: Id<'issues'>; readonly number: number };

type Written = Pick<ReviewRow, 'author_id' | 'issue_id' | 'body'>;

/** Loads the common data of a page's reviews and their comments. */
async function loadWritten(scope: Scope, repository: ReviewedRepository, rows: readonly Written[]) {
  const { links, load } = scope;
  const authored = gather(rows, 'author_id').flatMap((author) =>
    author === null ? [] : [{ repository: repository.id, author }],
  );
  const [accounts, associationOf, pulls] = await Promise.all([
    loadAccountsOnce(scope, gather(rows, 'author_id')),
    loadAssociations(scope, authored),
    load.all(issueNumbers, gather(rows, 'issue_id')),
  ]);
  const name = { owner: repository.owner.login, repo: repository.name };
  const texts = await presentTexts(
    scope,
    rows.map(({ body }) => ({ text: body, repository: name })),
  );
  const api = repositoryUrl(links, repository);
  const html = path(links.html, repository.owner.login, repository.name);
  return (row: Written & { repository_id: Id<'repositories'> }, at: number) => {
    const { number } = getOrThrow<Id<'issues'>, PullNumber>(pulls, row.issue_id);
    return {
      texts: texts[at],
      user: presentUserOrNull(links, getOptional(accounts, row.author_id)),
      author_association: associationOf(row),
      pull_request_url: path(`${api}/pulls`, number),
      html: path(`${html}/pull`, number),
      api,
    };
  };
}

/** Reviews of a whole page. */
export async function presentReviews(
  scope: Scope,
  repository: ReviewedRepository,
  rows: readonly ReviewRow[],
): Promise<Review[]> {
  if (rows.length === 0) return [];
  const writtenOf = await loadWritten(scope, repository, rows);
  return rows.map((row, at) => {
    const { texts, user, author_association, pull_request_url, html } = writtenOf(row, at);
    const html_url = `${html}#pullrequestreview-${row.id}`;
    return {
      id: row.id,
      node_id: nodeId('PullRequestReview', row.id),
      user,
      ...texts,
      state: row.state,
      html_url,
      pull_request_url,
      author_association,
      _links: { html: { href: html_url }, pull_request: { href: pull_request_url } },
      ...(row.submitted_at === null ? {} : { submitted_at: timestamp(row.submitted_at) }),
      commit_id: row.commit_sha,
    };
  });
}

export const presentReview = async (scope: Scope, repository: ReviewedRepository, row: ReviewRow): Promise<Review> =>
  firstOrNotFound(await presentReviews(scope, repository, [row]));

/** Comments of a whole page. */
export async function presentReviewComments(
  scope: Scope,
  repository: ReviewedRepository,
  rows: readonly ReviewCommentRow[],
): Promise<ReviewComment[]> {
  if (rows.length === 0) return [];
  const writtenOf = await loadWritten(scope, repository, rows);
  return rows.map((row, at) => {
    const { texts, user, author_association, pull_request_url, html, api } = writtenOf(row, at);
    const url = path(`${api}/pulls/comments`, row.id);
    const html_url = `${html}#discussion_r${row.id}`;
    return {
      url,
      pull_request_review_id: row.review_id,
      id: row.id,
      node_id: nodeId('PullRequestReviewComment', row.id),
      diff_hunk: row.diff_hunk,
      path: row.path,
      position: row.position,
      original_position: row.original_position,
      commit_id: row.commit_sha,
      original_commit_id: row.original_commit_sha,
      ...(row.in_reply_to_id === null ? {} : { in_reply_to_id: row.in_reply_to_id }),
      user,
      ...texts,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      html_url,
      pull_request_url,
      author_association,
      _links: { self: { href: url }, html: { href: html_url }, pull_request: { href: pull_request_url } },
      start_line: row.start_line,
      original_start_line: row.original_start_line,
      start_side: row.start_side,
      line: row.line,
      original_line: row.original_line,
      side: row.side,
      subject_type: row.subject_type,
      reactions: presentRollup(url, row.reactions),
    };
  });
}

export const presentReviewComment = async (
  scope: Scope,
  repository: ReviewedRepository,
  row: ReviewCommentRow,
): Promise<ReviewComment> => firstOrNotFound(await presentReviewComments(scope, repository, [row]));
