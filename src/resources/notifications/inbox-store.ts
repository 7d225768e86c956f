// When the inboxes of accounts changed last: one row each, from which polls are answered.
import { type RawBuilder, sql } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** When an inbox changed last; where it never did, when its account was made. */
export async function findInboxChange(db: Db, { id, created_at }: Account): Promise<Date> {
  const inbox = await db.selectFrom('notification_inboxes').select('changed_at').where('account_id', '=', id).executeTakeFirst();
  return inbox?.changed_at ?? new Date(Math.floor(created_at.getTime() / 1_000) * 1_000);
}

/**
 * The statement that notes a change of the inboxes of accounts, whose ids `accounts` selects. Dates of HTTP have seconds, and a change
 * may be committed long after it was begun. So each change takes a second of its own that was never told before, be it some seconds
 * ahead of the clock: whoever was told of the inbox before the change has another date than whoever is told after it.
 */
export const noteInboxes = (accounts: RawBuilder<unknown>, now: Date): RawBuilder<unknown> => sql`
  insert into notification_inboxes (account_id, changed_at)
  select a.id, greatest(date_trunc('second', ${now}::timestamptz), date_trunc('second', a.created_at) + interval '1 second')
  from accounts a where a.id in (${accounts}) order by a.id
  on conflict (account_id) do update
    set changed_at = greatest(excluded.changed_at, notification_inboxes.changed_at + interval '1 second')`;

/** Notes a change of one inbox. */
export const noteInbox = (tx: Tx, account: Id<'accounts'>, now: Date) =>
  noteInboxes(sql`select ${account}::bigint`, now).execute(tx);

/** Whose inboxes show something that changed: threads of an issue, of a repository, or of all repositories of an owner. */
export type Shown = {
  readonly owner: Id<'accounts'>;
  readonly repository?: Id<'repositories'> | undefined;
  readonly issue?: Id<'issues'> | undefined;
};

const batch = 1_000;

/** Notes a change of the inboxes that show something, a batch of accounts by their ids. Gives the last; undefined where no more follow. */
export async function noteShown(
  tx: Tx,
  { owner, repository, issue }: Shown,
  after: Id<'accounts'>,
  now: Date,
): Promise<Id<'accounts'> | undefined> {
  const about =
    issue !== undefined
      ? sql`t.issue_id = ${issue}`
      : repository !== undefined
        ? sql`t.repository_id = ${repository}`
        : sql`t.repository_id in (select r.id from repositories r where r.owner_id = ${owner})`;
  const { rows } = await sql<{ last: Id<'accounts'> | null; count: number }>`
    with next as materialized (
      select distinct t.account_id from notification_threads t
      where ${about} and t.account_id > ${after} order by t.account_id limit ${batch}
    ), noted as (${noteInboxes(sql`select account_id from next`, now)})
    select max(account_id) as last, count(*) as count from next`.execute(tx);
  const [found] = rows;
  return found && found.count === batch ? (found.last ?? undefined) : undefined;
}
