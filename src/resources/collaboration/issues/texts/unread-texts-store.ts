import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/** A repository with texts whose mentions aren't stored yet, and how far they were read. */
export type UnreadTexts = Selectable<DB['unread_texts']>;

export const findUnreadTexts = (db: Db): Promise<UnreadTexts | undefined> =>
  db.selectFrom('unread_texts').selectAll().orderBy('repository_id').limit(1).executeTakeFirst();

/** Notes that the texts of a repository are to be read, from the first one on. */
export const putUnreadTexts = (tx: Tx, repository: Id<'repositories'>) =>
  sql`insert into unread_texts (repository_id) values (${repository})
    on conflict (repository_id) do update set issue_number = 0, comment_id = 0`.execute(tx);

/** Notes how far was read. A row that isn't as it was meanwhile begins anew, and stays. */
export const updateUnreadTexts = (tx: Tx, before: UnreadTexts, read: Partial<UnreadTexts>) =>
  tx
    .updateTable('unread_texts')
    .set(read)
    .where('repository_id', '=', before.repository_id)
    .where('issue_number', '=', before.issue_number)
    .where('comment_id', '=', before.comment_id)
    .execute();

/** Notes that all was read, as `updateUnreadTexts` does. */
export const removeUnreadTexts = (tx: Tx, before: UnreadTexts) =>
  tx
    .deleteFrom('unread_texts')
    .where('repository_id', '=', before.repository_id)
    .where('issue_number', '=', before.issue_number)
    .where('comment_id', '=', before.comment_id)
    .execute();

/**
 * The bodies of issues or comments by their ids, their rows locked: who changes one of them waits, and so nothing is read too
 * early.
 */
export async function lockBodies(
  tx: Tx,
  table: 'issues' | 'issue_comments',
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  const { rows } = await sql<{ id: number; body: string | null }>`
    select id, body from ${sql.table(table)} where id = any (${[...ids]}::bigint[]) order by id for no key update`.execute(tx);
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** Accounts that a text mentions. Without a comment, it is the text of the issue. */
type Mention = {
  issue: Id<'issues'>;
  comment: Id<'issue_comments'> | null;
  account: Id<'accounts'> | null;
  at: Date;
};

/** Stores mentions in texts of a repository. Those that are there stay. */
export const insertMentions = (tx: Tx, repository: Id<'repositories'>, mentions: readonly Mention[]) =>
  sql`
    insert into text_references (repository_id, issue_id, comment_id, kind, account_id, created_at)
    select ${repository}, issue, comment, 'mention', account, at
    from jsonb_to_recordset(${JSON.stringify(mentions)}::jsonb) as m(issue bigint, comment bigint, account bigint, at timestamptz)
    on conflict do nothing`.execute(tx);
