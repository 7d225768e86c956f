// When each inbox was last changed: one row for each account, which answers polls.
import { type RawBuilder, sql } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** When an inbox was last changed; if never, when its account was created. */
export async function findInboxChange(db: Db, { id, created_at }: Account): Promise<Date> {
  const inbox = await db.selectFrom('notification_inboxes').select('changed_at').where('account_id', '=', id).executeTakeFirst();
  return inbox?.changed_at ?? new Date(Math.floor(created_at.getTime() / 1_000) * 1_000);
}

/**
 * The statement that updates the time of the last change of inboxes; `accounts` selects the ids of their accounts. HTTP dates
 * have whole seconds, and a change may be committed long after it began. So each change gets a second that no earlier reply had,
 * even if it is ahead of the clock: replies from before and after the change never have the same date.
 */
export const touchInboxes = (accounts: RawBuilder<unknown>, now: Date): RawBuilder<unknown> => sql`
  insert into notification_inboxes (account_id, changed_at)
  select a.id, greatest(date_trunc('second', ${now}::timestamptz), date_trunc('second', a.created_at) + interval '1 second')
  from accounts a where a.id in (${accounts}) order by a.id
  on conflict (account_id) do update
    set changed_at = greatest(excluded.changed_at, notification_inboxes.changed_at + interval '1 second')`;

/** Updates the time of the last change of one inbox. */
export const touchInbox = (tx: Tx, account: Id<'accounts'>, now: Date) =>
  touchInboxes(sql`select ${account}::bigint`, now).execute(tx);

/** The threads that a change affects: those of an issue, of a repository, or of all repositories of an owner. */
type Affected = {
  readonly owner: Id<'accounts'>;
  readonly repository?: Id<'repositories'> | undefined;
  readonly issue?: Id<'issues'> | undefined;
};

const batch = 1_000;

/**
 * Touches a batch of the inboxes that have affected threads, in the order of their accounts. Returns the last id; undefined after
 * the last batch.
 */
export async function touchAffected(
  tx: Tx,
  { owner, repository, issue }: Affected,
  after: Id<'accounts'>,
  now: Date,
): Promise<Id<'accounts'> | undefined> {
  const about =
    issue !== undefined
      ? sql`t.subject_id in (select s.id from notification_subjects s where s.issue_id = ${issue})`
      : repository !== undefined
        ? sql`t.repository_id = ${repository}`
        : sql`t.repository_id in (select r.id from repositories r where r.owner_id = ${owner})`;
  const { rows } = await sql<{ last: Id<'accounts'> | null; count: number }>`
    with next as materialized (
      select distinct t.account_id from notification_threads t
      where ${about} and t.account_id > ${after} order by t.account_id limit ${batch}
    ), touched as (${touchInboxes(sql`select account_id from next`, now)})
    select max(account_id) as last, count(*) as count from next`.execute(tx);
  const [found] = rows;
  return found && found.count === batch ? (found.last ?? undefined) : undefined;
}
