import type { Id } from '#lib/id.ts';
import { insertImportedCommitComments } from '#resources/collaboration/commit-comments/index.ts';
import { countImportedReviewComments } from '#resources/collaboration/pulls/index.ts';
import { insertReactionsOf, rollupOf } from '#resources/collaboration/reactions/index.ts';
import { insertImportedReviewComments, insertImportedReviews, setConversations } from '#resources/collaboration/reviews/index.ts';
import type { Address } from '../archive/format.ts';
import { reviewStates } from '../archive/said-format.ts';
import { idOf } from './accounts.ts';
import { type Context, eachPage, given, type Issues, timeOf } from './context.ts';

export type Reviews = ReadonlyMap<Address, { id: Id<'reviews'> }>;

/**
 * Inserts reviews with their comments. Those of pull requests that come as issues are left out: there is no diff that they are
 * about.
 */
export async function importReviews(context: Context, issues: Issues): Promise<Reviews> {
  const {
    scope: { tx },
    accounts,
  } = context;
  const reviews = new Map<Address, { id: Id<'reviews'> }>();
  await eachPage(context, 'pull_request_reviews', async (page) => {
    const known = page.flatMap((one) => {
      const pull = issues.get(one.pull_request);
      return pull?.isPull ? [{ one, pull }] : [];
    });
    const ids = await insertImportedReviews(
      tx,
      known.map(({ one, pull }) => ({
        repository_id: pull.repository,
        issue_id: pull.id,
        author_id: idOf(accounts, one.user),
        state: reviewStates[one.state],
        body: one.body,
        commit_sha: one.head_sha,
        created_at: timeOf(one.created_at),
        updated_at: timeOf(one.updated_at),
        submitted_at: timeOf(one.submitted_at),
      })),
    );
    for (const [at, { one }] of known.entries()) {
      const id = ids[at];
      if (id !== undefined) reviews.set(one.url, { id });
    }
  });
  await importReviewComments(context, issues, reviews);
  return reviews;
}

async function importReviewComments(context: Context, issues: Issues, reviews: Reviews): Promise<void> {
  const {
    scope: { tx },
    accounts,
  } = context;
  const comments = new Map<Address, Id<'review_comments'>>();
  await eachPage(context, 'review_comments', async (page) => {
    const known = page.flatMap((one) => {
      const pull = issues.get(one.pull_request);
      const review = reviews.get(one.pull_request_review);
      return pull && review ? [{ one, pull, review }] : [];
    });
    const ids = await insertImportedReviewComments(
      tx,
      known.map(({ one, pull, review }) => ({
        repository_id: pull.repository,
        issue_id: pull.id,
        review_id: review.id,
        author_id: idOf(accounts, one.user),
        submitted_at: timeOf(one.submitted_at),
        body: one.body,
        path: one.path,
        subject_type: one.subject_type,
        side: one.side,
        start_side: one.start_side,
        original_commit_sha: one.original_commit_id,
        original_base_sha: one.original_base_id,
        original_position: one.original_position,
        original_line: one.original_line,
        original_start_line: one.original_start_line,
        diff_hunk: one.diff_hunk,
        commit_sha: one.commit_id,
        position: one.position,
        line: one.line,
        start_line: one.start_line,
        reactions: rollupOf(given(accounts, one.reactions)),
        created_at: timeOf(one.created_at),
        updated_at: timeOf(one.updated_at),
        resolved_at: one.resolved_at === null ? null : timeOf(one.resolved_at),
        resolved_by: idOf(accounts, one.resolved_by),
      })),
    );
    const inserted = known.flatMap(({ one, pull }, at) => {
      const id = ids[at];
      return id === undefined ? [] : [{ one, pull, id }];
    });
    for (const { one, id } of inserted) comments.set(one.url, id);
    await setConversations(
      tx,
      inserted.flatMap(({ one, id }) => {
        const first = one.in_reply_to === null ? undefined : comments.get(one.in_reply_to);
        return first === undefined ? [] : [{ id, first }];
      }),
    );
    await insertReactionsOf(
      tx,
      inserted.flatMap(({ one, id }) =>
        given(accounts, one.reactions).map((reaction) => ({ ...reaction, review_comment_id: id })),
      ),
    );
    await countImportedReviewComments(
      tx,
      inserted.map(({ pull }) => pull.id),
    );
  });
}

/** Inserts comments on commits, also where the archive doesn't have the commit: what was said stays readable. */
export async function importCommitComments(context: Context): Promise<void> {
  const {
    scope: { tx },
    accounts,
    repositories,
  } = context;
  await eachPage(context, 'commit_comments', async (page) => {
    const known = page.flatMap((one) => {
      const target = repositories.get(one.repository);
      return target ? [{ one, target }] : [];
    });
    const ids = await insertImportedCommitComments(
      tx,
      known.map(({ one, target }) => ({
        repository_id: target.row.id,
        commit_sha: one.commit_id,
        author_id: idOf(accounts, one.user),
        body: one.body,
        path: one.path,
        position: one.position,
        line: one.line,
        reactions: rollupOf(given(accounts, one.reactions)),
        created_at: timeOf(one.created_at),
        updated_at: timeOf(one.updated_at),
      })),
    );
    await insertReactionsOf(
      tx,
      known.flatMap(({ one }, at) =>
        ids
          .slice(at, at + 1)
          .flatMap((id) => given(accounts, one.reactions).map((reaction) => ({ ...reaction, commit_comment_id: id }))),
      ),
    );
  });
}
