import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Content } from './schemas.ts';

export type ReactionRow = Selectable<DB['reactions']>;

/** The subject of a reaction: an issue, a comment on one, a comment on a commit or of a review, or a release. */
export type Subject =
  | { issue: Id<'issues'> }
  | { comment: Id<'issue_comments'> }
  | { commit_comment: Id<'commit_comments'> }
  | { review_comment: Id<'review_comments'> }
  | { release: Id<'releases'> };

/** The column that refers to a subject, with its value. */
function columnOf(subject: Subject) {
  if ('issue' in subject) return { issue_id: subject.issue };
  if ('comment' in subject) return { comment_id: subject.comment };
  if ('review_comment' in subject) return { review_comment_id: subject.review_comment };
  return 'release' in subject ? { release_id: subject.release } : { commit_comment_id: subject.commit_comment };
}

const isSubject = (subject: Subject) =>
  sql<boolean>`${sql.join(
    Object.entries(columnOf(subject)).map(([column, id]) => sql`${sql.ref(column)} = ${id}`),
    sql` and `,
  )}`;

/** The reactions to a subject, oldest first. */
export function listReactions(db: Db, subject: Subject, content: Content | undefined, page: Page): Promise<Listed<ReactionRow>> {
  let query = db.selectFrom('reactions').selectAll().where(isSubject(subject));
  if (content) query = query.where('content', '=', content);
  return list(db, query.orderBy('id'), page);
}

type ReactionKey = { subject: Subject; user: Id<'accounts'>; content: Content };

export const findReaction = (tx: Tx, { subject, user, content }: ReactionKey): Promise<ReactionRow | undefined> =>
  tx
    .selectFrom('reactions')
    .selectAll()
    .where(isSubject(subject))
    .where('user_id', '=', user)
    .where('content', '=', content)
    .executeTakeFirst();

/** Inserts a reaction. The caller updates the count of its subject. */
export const insertReaction = (tx: Tx, { subject, user, content }: ReactionKey, now: Date): Promise<ReactionRow> =>
  tx
    .insertInto('reactions')
    .values({ ...columnOf(subject), user_id: user, content, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

/** A reaction to a subject, by its id. */
export const findReactionById = (db: Db, subject: Subject, id: Id<'reactions'>): Promise<ReactionRow | undefined> =>
  db.selectFrom('reactions').selectAll().where(isSubject(subject)).where('id', '=', id).executeTakeFirst();

/** Removes a reaction. The caller updates the count of its subject. */
export const removeReaction = (tx: Tx, { id }: ReactionRow) => tx.deleteFrom('reactions').where('id', '=', id).execute();

/** The subject's column `reactions` with the count of one kind increased or decreased by one. */
export const changedCounts = (content: Content, by: 1 | -1): RawBuilder<string> =>
  sql<string>`reactions || jsonb_build_object(${content}::text, coalesce((reactions ->> ${content})::int, 0) + ${by}::int)`;

/** The columns that refer to the subjects of reactions. */
type SubjectColumn = 'issue_id' | 'comment_id' | 'commit_comment_id' | 'review_comment_id' | 'release_id';

/** The reactions to many subjects of one kind, oldest first. `column` refers to the subjects. */
export const loadReactions = <Column extends SubjectColumn>(
  db: Db,
  column: Column,
  subjects: readonly Exclude<ReactionRow[Column], null>[],
): Promise<ReactionRow[]> =>
  db
    .selectFrom('reactions')
    .selectAll()
    .where(sql<boolean>`${sql.ref(column)} = any (${[...subjects]}::bigint[])`)
    .orderBy('id')
    .execute();

type NewReaction = { user_id: Id<'accounts'>; content: Content; created_at: Date };

/** Inserts reactions from another server. The counts were inserted with their subjects, from `rollupOf`. */
export async function insertReactionsOf(
  tx: Tx,
  rows: readonly (NewReaction & { [Column in SubjectColumn]?: ReactionRow[Column] })[],
): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('reactions')
      .values([...rows])
      .execute();
}

/** The numbers of reactions, in the format of their subject's row. */
export function rollupOf(rows: readonly Pick<NewReaction, 'content'>[]): string {
  const counts: Partial<Record<Content, number>> = {};
  for (const { content } of rows) counts[content] = (counts[content] ?? 0) + 1;
  return JSON.stringify(counts);
}
