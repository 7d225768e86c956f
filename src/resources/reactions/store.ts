import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Content } from './schemas.ts';

export type ReactionRow = Selectable<DB['reactions']>;

/** What is reacted to: an issue or a comment. */
export type Subject = { issue: Id<'issues'> } | { comment: Id<'issue_comments'> };

const columnsOf = (subject: Subject) =>
  'issue' in subject ? { issue_id: subject.issue, comment_id: null } : { issue_id: null, comment_id: subject.comment };

const of = (subject: Subject) =>
  'issue' in subject ? sql<boolean>`issue_id = ${subject.issue}` : sql<boolean>`comment_id = ${subject.comment}`;

/** The reactions to something, oldest first. */
export function listReactions(db: Db, subject: Subject, content: Content | undefined, page: Page): Promise<Listed<ReactionRow>> {
  let query = db.selectFrom('reactions').selectAll().where(of(subject));
  if (content) query = query.where('content', '=', content);
  return list(db, query.orderBy('id'), page);
}

type One = { subject: Subject; user: Id<'accounts'>; content: Content };

export const findReaction = (tx: Tx, { subject, user, content }: One): Promise<ReactionRow | undefined> =>
  tx
    .selectFrom('reactions')
    .selectAll()
    .where(of(subject))
    .where('user_id', '=', user)
    .where('content', '=', content)
    .executeTakeFirst();

/** Inserts a reaction and raises the count on its subject, whose row the caller has locked. */
export async function insertReaction(tx: Tx, { subject, user, content }: One, now: Date): Promise<ReactionRow> {
  const row = await tx
    .insertInto('reactions')
    .values({ ...columnsOf(subject), user_id: user, content, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  await count(tx, subject, content, 1);
  return row;
}

/** A reaction to something, by its id. */
export const findReactionById = (db: Db, subject: Subject, id: Id<'reactions'>): Promise<ReactionRow | undefined> =>
  db.selectFrom('reactions').selectAll().where(of(subject)).where('id', '=', id).executeTakeFirst();

/** Removes a reaction and lowers the count on its subject, whose row the caller has locked. */
export async function removeReaction(tx: Tx, subject: Subject, { id, content }: ReactionRow): Promise<void> {
  await tx.deleteFrom('reactions').where('id', '=', id).execute();
  await count(tx, subject, content, -1);
}

const count = (tx: Tx, subject: Subject, content: Content, by: 1 | -1) => {
  const reactions = sql<string>`reactions || jsonb_build_object(${content}::text, coalesce((reactions ->> ${content})::int, 0) + ${by}::int)`;
  return 'issue' in subject
    ? tx.updateTable('issues').set({ reactions }).where('id', '=', subject.issue).execute()
    : tx.updateTable('issue_comments').set({ reactions }).where('id', '=', subject.comment).execute();
};
