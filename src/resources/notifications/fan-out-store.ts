// Notifying people of an event: one statement for each batch of recipients.
import { type RawBuilder, sql } from 'kysely';
import { readersOf } from '#access/sql.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { touchInboxes } from './inbox-store.ts';

type Account = Id<'accounts'>;

/** An event of an issue, and who is notified of it. */
export type Activity = {
  readonly event: Id<'events'>;
  readonly repo: RepositoryRow;
  readonly issue: Id<'issues'>;
  /** The comment in whose text people may be mentioned; without it, the text is that of the issue. */
  readonly comment: Id<'issue_comments'> | undefined;
  readonly actor: Account | undefined;
  readonly at: Date;
  /** `everybody`: participants, watchers and mentioned people; `mentioned`: only people whom the text mentions newly. */
  readonly recipients: 'everybody' | 'mentioned' | { readonly assigned: Account };
};

/** Recipients in one statement. With more, other transactions would wait longer for the rows that it locks. */
export const batchSize = 1_000;

/** How many of the latest comments are searched for authors whose own event may not have been processed yet. */
const recentComments = 100;

/**
 * Notifies the next batch of recipients, in the order of their ids. Of several reasons, the one with the lowest rank counts. Returns the last
 * id; undefined after the last batch. Threads that have this event already, from an earlier try of the job, stay as they are.
 */
export async function notifyNextBatch(tx: Tx, activity: Activity, after: Account): Promise<Account | undefined> {
  const { event, repo, issue, comment, actor, at } = activity;
  const { rows } = await sql<{ last: Account | null; count: number }>`
    with candidates as (
      ${sql.join(
        sourcesOf(activity, after).map(
          ({ rank, reason, from }) => sql`
          (select s.account_id, ${reason} as reason, ${rank}::integer as rank from (${from}) s
            where s.account_id > ${after} order by s.account_id limit ${batchSize})`,
        ),
        sql` union all `,
      )}
    ), next as materialized (
      select distinct on (account_id) account_id, reason, rank from candidates
      order by account_id, rank limit ${batchSize}
    ), recipients as materialized (
      select n.account_id, n.reason, n.rank from next n
      join accounts a on a.id = n.account_id and a.kind = 'user'
      left join thread_subscriptions s on s.issue_id = ${issue} and s.account_id = n.account_id and s.repository_id = ${repo.id}
      where n.account_id is distinct from ${actor ?? null}::bigint
        and (s.state is null or s.state = 'subscribed' or (s.state = 'muted' and n.rank <= ${unmutingRank}))
        and not exists (select from repository_subscriptions w
          where w.repository_id = ${repo.id} and w.account_id = n.account_id and w.ignored)
        and ${readersOf(repo, sql`n.account_id`)}
    ), taking_part as (
      insert into thread_subscriptions as s (account_id, repository_id, issue_id, state, reason, created_at)
      select account_id, ${repo.id}, ${issue}, 'subscribed', reason, ${at}::timestamptz from recipients where rank <= ${unmutingRank}
      order by account_id
      on conflict (issue_id, account_id, repository_id) do update set state = 'subscribed', reason = excluded.reason
    ), changed as (
      insert into notification_threads as t (account_id, repository_id, issue_id, reason, comment_id, event_id, updated_at)
      select account_id, ${repo.id}, ${issue}, reason, ${comment ?? null}::bigint, ${event}, ${at}::timestamptz
      from recipients order by account_id
      on conflict (issue_id, account_id, repository_id) do update set reason = excluded.reason, event_id = excluded.event_id,
        comment_id = coalesce(excluded.comment_id, t.comment_id), unread = true, done = false, updated_at = excluded.updated_at
        where t.event_id < excluded.event_id
      returning account_id
    ), touched as (${touchInboxes(sql`select account_id from changed`, at)})
    select max(account_id) as last, count(*) as count from next`.execute(tx);
  const [found] = rows;
  return found && found.count === batchSize ? (found.last ?? undefined) : undefined;
}

/** Mentions, which have this rank and lower ones, unmute a thread. */
const unmutingRank = 2;

type Source = { readonly rank: number; readonly reason: RawBuilder<unknown>; readonly from: RawBuilder<unknown> };

/** Where recipients come from: each source with its reason and rank. Each has the column `account_id`. */
function sourcesOf({ repo, issue, comment, at, recipients }: Activity, after: Account): readonly Source[] {
  if (typeof recipients === 'object')
    return [{ rank: 3, reason: sql`'assign'`, from: sql`select ${recipients.assigned}::bigint as account_id` }];
  const newReferences = sql`x.repository_id = ${repo.id} and x.issue_id = ${issue} and x.created_at = ${at}
    and x.comment_id is not distinct from ${comment ?? null}::bigint and x.commit_sha is null`;
  const mentioned: Source[] = [
    {
      rank: 1,
      reason: sql`'mention'`,
      from: sql`select distinct x.account_id from text_references x where ${newReferences} and x.kind = 'mention'`,
    },
    {
      rank: 2,
      reason: sql`'team_mention'`,
      from: sql`select distinct m.user_id as account_id from text_references x
        join teams named on named.id = x.team_id and named.notification_setting = 'notifications_enabled'
        join teams t on t.ancestors @> array[named.id] and named.id = any (t.ancestors)
        join team_members m on m.team_id = t.id
        where ${newReferences} and x.kind = 'team'`,
    },
  ];
  if (recipients === 'mentioned') return mentioned;
  return [
    ...mentioned,
    {
      rank: 4,
      reason: sql`s.reason`,
      from: sql`select p.account_id, p.reason from thread_subscriptions p
        where p.issue_id = ${issue} and p.repository_id = ${repo.id} and p.state = 'subscribed'`,
    },
    // Participants whose own event wasn't processed yet, or happened before threads existed.
    { rank: 5, reason: sql`'author'`, from: sql`select i.author_id as account_id from issues i where i.id = ${issue}` },
    {
      rank: 6,
      reason: sql`'assign'`,
      from: sql`select a.user_id as account_id from issue_assignees a where a.issue_id = ${issue}`,
    },
    {
      rank: 7,
      reason: sql`'comment'`,
      from: sql`select distinct c.author_id as account_id from (
        select author_id from issue_comments where issue_id = ${issue} order by id desc limit ${recentComments}) c`,
    },
    {
      rank: 8,
      reason: sql`'subscribed'`,
      from: sql`select w.account_id from repository_subscriptions w
        where w.repository_id = ${repo.id} and not w.ignored and w.account_id > ${after}`,
    },
  ];
}

type Acceptance = Pick<Activity, 'event' | 'repo' | 'at'> & { readonly account: Account };

/** Adds a thread for an accepted invitation to the inbox of who accepted it. */
export const notifyInvitee = (tx: Tx, { event, repo, at, account }: Acceptance) =>
  sql`
    with changed as (
      insert into notification_threads as t (account_id, repository_id, reason, event_id, updated_at)
      select ${account}::bigint, ${repo.id}, 'invitation', ${event}, ${at}::timestamptz
      where not exists (select from thread_subscriptions s where s.issue_id is null and s.account_id = ${account}
        and s.repository_id = ${repo.id} and s.state <> 'subscribed') and ${readersOf(repo, sql`${account}::bigint`)}
      on conflict (issue_id, account_id, repository_id) do update set event_id = excluded.event_id, unread = true, done = false,
        updated_at = excluded.updated_at
        where t.event_id < excluded.event_id
      returning account_id
    ) ${touchInboxes(sql`select account_id from changed`, at)}`.execute(tx);
