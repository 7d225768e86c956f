import type { Insertable, Selectable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list, listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Oid } from '#git/objects/oid.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type Content, changedCounts } from '#resources/collaboration/reactions/index.ts';

export type CommitCommentRow = Selectable<DB['commit_comments']>;
type Comment = Id<'commit_comments'>;

const ofRepository = (db: Db, repository: OrSql<RepositoryId>) =>
  db.selectFrom('commit_comments').selectAll().where('repository_id', '=', repository);

/** The comments on all commits of a repository, oldest first. */
export const listOfRepository = (db: Db, repository: RepositoryId, page: Page): Promise<Listed<CommitCommentRow>> =>
  list(db, ofRepository(db, repository).orderBy('id'), page);

/** The comments on one commit, oldest first. */
export const listOfCommit = (db: Db, repository: RepositoryId, commit: Oid, page: Page): Promise<Listed<CommitCommentRow>> =>
  list(db, ofRepository(db, repository).where('commit_sha', '=', commit).orderBy('id'), page);

export const selectComment = (db: Db, repository: OrSql<RepositoryId>, id: Comment) =>
  ofRepository(db, repository).where('id', '=', id);

export const findComment = (db: Db, id: Comment): Promise<CommitCommentRow | undefined> =>
  db.selectFrom('commit_comments').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the comment again and locks its row; undefined if it was deleted. */
export const findCommentForUpdate = (tx: Tx, { id }: Pick<CommitCommentRow, 'id'>): Promise<CommitCommentRow | undefined> =>
  tx.selectFrom('commit_comments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The given ids that belong to comments on commits. */
export async function loadPresentIds(db: Db, ids: Iterable<number | null>): Promise<Set<number>> {
  const wanted = unique(ids) as Comment[];
  if (wanted.length === 0) return new Set();
  const rows = await db.selectFrom('commit_comments').select('id').where('id', 'in', wanted).execute();
  return new Set(rows.map(({ id }) => id));
}

export const insertComment = (tx: Tx, row: Insertable<DB['commit_comments']>): Promise<CommitCommentRow> =>
  tx.insertInto('commit_comments').values(row).returningAll().executeTakeFirstOrThrow();

export const updateComment = (tx: Tx, id: Comment, body: string, now: Date): Promise<CommitCommentRow> =>
  tx.updateTable('commit_comments').set({ body, updated_at: now }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Changes a comment's count of a kind of reaction. */
export const countReaction = (tx: Tx, id: Comment, content: Content, by: 1 | -1) =>
  tx
    .updateTable('commit_comments')
    .set({ reactions: changedCounts(content, by) })
    .where('id', '=', id)
    .execute();

export const removeComment = (tx: Tx, id: Comment) => tx.deleteFrom('commit_comments').where('id', '=', id).execute();

/** The comments on all commits of a repository after a given one, oldest first. */
export const listCommentsAfter = (db: Db, repository: RepositoryId, after: Comment, limit: number): Promise<CommitCommentRow[]> =>
  listAfter(ofRepository(db, repository), 'id', after, limit);

/** Inserts comments from another server, without events. Returns their ids in the same order. */
export async function insertImportedComments(tx: Tx, comments: readonly Insertable<DB['commit_comments']>[]): Promise<Comment[]> {
  if (comments.length === 0) return [];
  const rows = await tx
    .insertInto('commit_comments')
    .values([...comments])
    .returning('id')
    .execute();
  // Ids are assigned in the order of the values.
  return gather(rows, 'id').sort((a, b) => a - b);
}
