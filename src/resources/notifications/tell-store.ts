// Telling people of something: one statement for each batch of them.
import { type RawBuilder, sql } from 'kysely';
import { readersOf } from '#access/sql.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { noteInboxes } from './inbox-store.ts';

type Account = Id<'accounts'>;

/** What people are told of, and whom. */
export type News = {
  readonly event: Id<'events'>;
  readonly repo: RepositoryRow;
  readonly issue: Id<'issues'>;
  /** The comment in whose text people may be mentioned; without it, the text is that of the issue. */
  readonly comment: Id<'issue_comments'> | undefined;
  readonly actor: Account | undefined;
  readonly at: Date;
  /** `everybody`: who takes part, watches or is mentioned; `mentioned`: those alone whom the text mentions newly. */
  readonly whom: 'everybody' | 'mentioned' | { readonly assigned: Account };
};

/** People in one statement. More would keep others waiting for the rows that it locks. */
export const tellBatch = 1_000;

/** Who comments and who assigns are looked for so far back, where their own event may not have been seen to yet. */
const recentComments = 100;

/**
 * Tells the next people, by their ids, of some news. Of several reasons the strongest counts. Gives the last of them; undefined where no
 * more follow. Whoever was told already, as by an earlier try of the same job, isn't told again.
 */
export async function tellNext(tx: Tx, news: News, after: Account): Promise<Account | undefined> {
  const { event, repo, issue, comment, actor, at } = news;
  const { rows } = await sql<{ last: Account | null; count: number }>`
    with candidates as (
      ${sql.join(
        sourcesOf(news, after).map(
          ({ rank, reason, from }) => sql`
          (select s.account_id, ${reason} as reason, ${rank}::integer as rank from (${from}) s
            where s.account_id > ${after} order by s.account_id limit ${tellBatch})`,
        ),
        sql` union all `,
      )}
    ), next as materialized (
      select distinct on (account_id) account_id, reason, rank from candidates
      order by account_id, rank limit ${tellBatch}
    ), told as materialized (
      select n.account_id, n.reason, n.rank from next n
      join accounts a on a.id = n.account_id and a.kind = 'user'
      left join thread_subscriptions s on s.issue_id = ${issue} and s.account_id = n.account_id and s.repository_id = ${repo.id}
      where n.account_id is distinct from ${actor ?? null}::bigint
        and (s.state is null or s.state = 'subscribed' or (s.state = 'muted' and n.rank <= ${liftsMute}))
        and not exists (select from repository_subscriptions w
          where w.repository_id = ${repo.id} and w.account_id = n.account_id and w.ignored)
        and ${readersOf(repo, sql`n.account_id`)}
    ), taking_part as (
      insert into thread_subscriptions as s (account_id, repository_id, issue_id, state, reason, created_at)
      select account_id, ${repo.id}, ${issue}, 'subscribed', reason, ${at}::timestamptz from told where rank <= ${liftsMute}
      order by account_id
      on conflict (issue_id, account_id, repository_id) do update set state = 'subscribed', reason = excluded.reason
    ), changed as (
      insert into notification_threads as t (account_id, repository_id, issue_id, reason, comment_id, event_id, updated_at)
      select account_id, ${repo.id}, ${issue}, reason, ${comment ?? null}::bigint, ${event}, ${at}::timestamptz
      from told order by account_id
      on conflict (issue_id, account_id, repository_id) do update set reason = excluded.reason, event_id = excluded.event_id,
        comment_id = coalesce(excluded.comment_id, t.comment_id), unread = true, done = false, updated_at = excluded.updated_at
        where t.event_id < excluded.event_id
      returning account_id
    ), noted as (${noteInboxes(sql`select account_id from changed`, at)})
    select max(account_id) as last, count(*) as count from next`.execute(tx);
  const [found] = rows;
  return found && found.count === tellBatch ? (found.last ?? undefined) : undefined;
}

/** Reasons of this rank and stronger ones reach those who muted a thread: they are mentions. */
const liftsMute = 2;

type Source = { readonly rank: number; readonly reason: RawBuilder<unknown>; readonly from: RawBuilder<unknown> };

/** Where people come from, each source with its reason and the rank of that. Each gives the column `account_id`. */
function sourcesOf({ repo, issue, comment, at, whom }: News, after: Account): readonly Source[] {
  if (typeof whom === 'object')
    return [{ rank: 3, reason: sql`'assign'`, from: sql`select ${whom.assigned}::bigint as account_id` }];
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
  if (whom === 'mentioned') return mentioned;
  return [
    ...mentioned,
    {
      rank: 4,
      reason: sql`s.reason`,
      from: sql`select p.account_id, p.reason from thread_subscriptions p
        where p.issue_id = ${issue} and p.repository_id = ${repo.id} and p.state = 'subscribed'`,
    },
    // Those who take part by something that happened just before, or before threads were kept.
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

type Acceptance = Pick<News, 'event' | 'repo' | 'at'> & { readonly account: Account };

/** Tells somebody of the invitation that they accepted, which is all that happens to that subject. */
export const tellAccepted = (tx: Tx, { event, repo, at, account }: Acceptance) =>
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
    ) ${noteInboxes(sql`select account_id from changed`, at)}`.execute(tx);
