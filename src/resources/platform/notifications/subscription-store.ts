// Subscriptions to threads: who participates in a subject and why, and who ignores or muted it.
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Reason } from './reasons.ts';
import type { ThreadRow } from './store.ts';

export type SubscriptionRow = Selectable<DB['thread_subscriptions']>;

export const findThreadSubscription = (
  db: Db,
  { account_id, subject_id }: Pick<ThreadRow, 'account_id' | 'subject_id'>,
): Promise<SubscriptionRow | undefined> =>
  db
    .selectFrom('thread_subscriptions')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('subject_id', '=', subject_id)
    .executeTakeFirst();

type Wanted = Pick<SubscriptionRow, 'state' | 'reason' | 'created_at'>;

/** Sets the state of a subscription, regardless of its current state. */
export async function putThreadSubscription(
  tx: Tx,
  { account_id, repository_id, subject_id }: Pick<ThreadRow, 'account_id' | 'repository_id' | 'subject_id'>,
  { state, reason, created_at }: Wanted,
): Promise<SubscriptionRow> {
  return tx
    .insertInto('thread_subscriptions')
    .values({ account_id, repository_id, subject_id, state, reason, created_at })
    .onConflict((conflict) => conflict.columns(['subject_id', 'account_id']).doUpdateSet({ state, reason }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Why an account participates in a subject. */
export type Part = {
  readonly subject: Id<'notification_subjects'>;
  readonly account: Id<'accounts'>;
  readonly reason: Reason;
  readonly at: Date;
};

/**
 * Makes accounts participants of subjects, or updates their reasons; each part is about another subject. Ignored threads stay
 * ignored. A muted thread is unmuted by the account's own comment (document 2).
 */
export const addParticipants = (tx: Tx, parts: readonly Part[]) =>
  sql`
    insert into thread_subscriptions as s (account_id, repository_id, subject_id, state, reason, created_at)
    select a.id, about.repository_id, about.id, 'subscribed', p.reason, p.at
    from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb) as p(subject bigint, account bigint, reason text, at timestamptz)
    join accounts a on a.id = p.account and a.kind = 'user' join notification_subjects about on about.id = p.subject
    order by about.id, a.id
    on conflict (subject_id, account_id) do update set reason = excluded.reason,
      state = case when s.state = 'muted' and excluded.reason = 'comment' then 'subscribed' else s.state end`.execute(tx);
