// Subscriptions to threads: who participates in a subject and why, and who ignores or muted it.
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Reason } from './reasons.ts';
import type { ThreadRow } from './store.ts';

export type SubscriptionRow = Selectable<DB['thread_subscriptions']>;
type Subject = Pick<ThreadRow, 'account_id' | 'repository_id' | 'issue_id'>;

export const findThreadSubscription = (db: Db, subject: Subject): Promise<SubscriptionRow | undefined> =>
  db
    .selectFrom('thread_subscriptions')
    .selectAll()
    .where('account_id', '=', subject.account_id)
    .where('repository_id', '=', subject.repository_id)
    .where(sql<boolean>`issue_id is not distinct from ${subject.issue_id}::bigint`)
    .executeTakeFirst();

type Wanted = Pick<SubscriptionRow, 'state' | 'reason' | 'created_at'>;

/** Sets the state of a subscription, whatever it was. */
export async function putThreadSubscription(tx: Tx, subject: Subject, wanted: Wanted): Promise<SubscriptionRow> {
  const { account_id, repository_id, issue_id } = subject;
  const { state, reason, created_at } = wanted;
  return tx
    .insertInto('thread_subscriptions')
    .values({ account_id, repository_id, issue_id, state, reason, created_at })
    .onConflict((conflict) => conflict.columns(['issue_id', 'account_id', 'repository_id']).doUpdateSet({ state, reason }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

type Part = {
  readonly repository: Id<'repositories'>;
  readonly issue: Id<'issues'>;
  readonly account: Id<'accounts'>;
  readonly reason: Reason;
  readonly at: Date;
};

/**
 * Makes an account a participant of an issue, or updates the reason. An ignored thread stays ignored; a muted one is unmuted by a comment of
 * the account's own (document 2).
 */
export const addParticipant = (tx: Tx, { repository, issue, account, reason, at }: Part) =>
  sql`
    insert into thread_subscriptions as s (account_id, repository_id, issue_id, state, reason, created_at)
    select a.id, i.repository_id, i.id, 'subscribed', ${reason}, ${at}::timestamptz
    from accounts a, issues i
    where a.id = ${account} and a.kind = 'user' and i.id = ${issue} and i.repository_id = ${repository}
    on conflict (issue_id, account_id, repository_id) do update set reason = excluded.reason,
      state = case when s.state = 'muted' and excluded.reason = 'comment' then 'subscribed' else s.state end`.execute(tx);
