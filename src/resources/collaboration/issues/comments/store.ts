import { type Insertable, type Selectable, sql } from 'kysely';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type Content, changedCounts } from '#resources/collaboration/reactions/index.ts';
import { isSwitchedOn } from '../readable.ts';

export type CommentRow = Selectable<DB['issue_comments']>;
type Comment = Id<'issue_comments'>;

/** The comments of one issue, oldest first. */
export function listOfIssue(db: Db, issue: Id<'issues'>, since: Date | undefined, page: Page): Promise<Listed<CommentRow>> {
  let query = db.selectFrom('issue_comments').selectAll().where('issue_id', '=', issue);
  if (since) query = query.where('updated_at', '>=', since);
  return list(db, query.orderBy('id'), page);
}

type CommentOrder = { sort: 'created' | 'updated'; direction: 'asc' | 'desc' };

/** The comments of all issues of a repository. */
export function listCommentsOfRepository(
  db: Db,
  { id: repository, has_pull_requests }: Pick<RepositoryRow, 'id' | 'has_pull_requests'>,
  { since, order: { sort, direction } }: { since: Date | undefined; order: CommentOrder },
  page: Page,
): Promise<Listed<CommentRow>> {
  let query = db.selectFrom('issue_comments').selectAll().where('repository_id', '=', repository);
  if (since) query = query.where('updated_at', '>=', since);
  if (!has_pull_requests)
    query = query.where(sql<boolean>`not (select i.is_pull_request from issues i where i.id = issue_comments.issue_id)`);
  const ordered = sort === 'updated' ? query.orderBy('updated_at', direction) : query;
  return list(db, ordered.orderBy('id', direction), page);
}

/** Comments by their ids, in any order. */
export async function loadComments(db: Db, ids: Iterable<Comment | null>): Promise<CommentRow[]> {
  const wanted = unique(ids);
  return wanted.length === 0 ? [] : db.selectFrom('issue_comments').selectAll().where('id', 'in', wanted).execute();
}

/** Comments by their ids, of which a scope loads each once. */
export const commentRows: Loader<Comment, CommentRow> = async ({ db }, ids) => keyed(await loadComments(db, ids), ({ id }) => id);

/** A comment. Comments on issues or pull requests that are switched off aren't found. */
export const selectComment = (db: Db, repository: OrSql<RepositoryId>, id: Comment) =>
  db
    .selectFrom('issue_comments')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('id', '=', id)
    .where(
      sql<boolean>`exists (select from issues i join repositories r on r.id = i.repository_id
        where i.id = issue_comments.issue_id and ${isSwitchedOn('i')})`,
    );

/** The same comment again, its row locked; undefined when it was deleted. */
export const findCommentForUpdate = (tx: Tx, { id }: Pick<CommentRow, 'id'>): Promise<CommentRow | undefined> =>
  tx.selectFrom('issue_comments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

type NewComment = Insertable<DB['issue_comments']> & Pick<CommentRow, 'issue_id' | 'created_at'>;

/** Inserts a comment and raises its issue's count of comments. */
export const insertComment = (tx: Tx, row: NewComment): Promise<CommentRow> =>
  tx
    .with('counted', (db) => db.updateTable('issues').set(commentCount(1, row.created_at)).where('id', '=', row.issue_id))
    .insertInto('issue_comments')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateComment = (tx: Tx, id: Comment, body: string, now: Date): Promise<CommentRow> =>
  tx.updateTable('issue_comments').set({ body, updated_at: now }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Changes a comment's count of a kind of reaction. */
export const countCommentReaction = (tx: Tx, id: Comment, content: Content, by: 1 | -1) =>
  tx
    .updateTable('issue_comments')
    .set({ reactions: changedCounts(content, by) })
    .where('id', '=', id)
    .execute();

/** Removes a comment and lowers its issue's count of comments. */
export async function removeComment(tx: Tx, { id, issue_id }: CommentRow, now: Date): Promise<void> {
  await tx
    .with('counted', (db) => db.updateTable('issues').set(commentCount(-1, now)).where('id', '=', issue_id))
    .deleteFrom('issue_comments')
    .where('id', '=', id)
    .execute();
}

const commentCount = (by: number, now: Date) => ({ comments_count: sql<number>`comments_count + ${by}`, updated_at: now });
