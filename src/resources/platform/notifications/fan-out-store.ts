// Notifying people of an event: one statement for each batch of recipients.
import { type RawBuilder, sql } from 'kysely';
import { roleLevel } from '#access/roles.ts';
import { readersOf } from '#access/sql.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { touchInboxes } from './inbox-store.ts';

type Account = Id<'accounts'>;

/**
 * A text in which people may be mentioned: an issue, a commit message, a comment on either, a review with its comments, a single
 * review comment, or the notes of a release.
 */
type Text =
  | { readonly release: Id<'releases'> }
  | TextOfIssue
  | { readonly commit: string; readonly comment?: Id<'commit_comments'> };

/** A text of an issue or pull request. */
export type TextOfIssue = { readonly issue: Id<'issues'> } & (
  | { readonly comment?: Id<'issue_comments'> }
  | { readonly review: Id<'reviews'> }
  | { readonly review_comment: Id<'review_comments'> }
);

/**
 * The recipients. `triggered`: the person who triggered a run; `deployment_reviewers`: people who may let a job into its
 * environment; `mentioned`: people whom the text newly mentions; `everybody`: also participants of the issue, and watchers;
 * `assigned` and `requested`: only the assignees, or the requested reviewers; `checked`: the person whose push or pull request a
 * check suite checked; `administrators`: the administrators of the repository; `named`: only the person of the activity.
 */
export type Recipients =
  | 'everybody'
  | 'mentioned'
  | 'assigned'
  | 'requested'
  | 'checked'
  | 'triggered'
  | 'deployment_reviewers'
  | 'administrators'
  | 'named';

/** An event of a subject. */
export type Activity = {
  readonly event: Id<'events'>;
  readonly subject: Id<'notification_subjects'>;
  /** The text of the event, if it has one. */
  readonly text?: Text | undefined;
  /** The actors, who aren't notified about their own activity. */
  readonly actors: readonly Account[];
  readonly at: Date;
  /** The users who were assigned, requested for a review or named, if only they are notified. */
  readonly person?: Account | undefined;
  /** The team that was requested for a review. */
  readonly team?: Id<'teams'> | undefined;
  readonly suite?: Id<'check_suites'> | undefined;
  readonly job?: Id<'workflow_jobs'> | undefined;
};

/** Activities on different subjects of a repository, all of the same kind and with the same kind of recipients. */
export type Activities = {
  readonly repo: RepositoryRow;
  readonly recipients: Recipients;
  readonly activities: readonly Activity[];
};

/** A subject that may have more recipients, after this one. */
type Unfinished = { readonly subject: Id<'notification_subjects'>; readonly last: Account };

/**
 * The maximum number of recipients in one statement, for all its activities. With more, other transactions would wait longer for
 * the rows that it locks.
 */
const batchSize = 1_000;

/** How many of the latest comments are searched for authors whose own event may not have been processed yet. */
const recentComments = 100;

/**
 * Notifies the next recipients of activities, ordered by id, as many as fit in a batch. If a recipient has several reasons, the
 * one with the lowest rank counts. Returns the subjects that may have more recipients. Threads that already have an event from an
 * earlier try stay unchanged.
 */
export async function notifyNextBatch(tx: Tx, all: Activities, after: Account): Promise<Unfinished[]> {
  const { repo, activities } = all;
  const given = activities.map(({ text, ...activity }) => ({ ...activity, ...text }));
  const each = Math.floor(batchSize / activities.length);
  const latest = new Date(Math.max(...activities.map(({ at }) => at.getTime())));
  const { rows } = await sql<Unfinished>`
    with activities as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as a(event bigint, subject bigint, issue bigint,
        comment bigint, review bigint, review_comment bigint, commit text, release bigint, actors bigint[], at timestamptz,
        person bigint, team bigint, suite bigint, job bigint)
    ), candidates as (
      select v.subject, c.account_id, c.reason, c.rank from activities v cross join lateral (
        ${sql.join(
          sourcesOf(all, after).map(
            ({ rank, reason, from }) => sql`
            (select s.account_id, ${reason} as reason, ${rank}::integer as rank from (${from}) s
              where s.account_id > ${after} order by s.account_id limit ${each})`,
          ),
          sql` union all `,
        )}) c
    ), ordered as (
      select *, row_number() over (partition by subject order by account_id) as nth
      from (select distinct on (subject, account_id) * from candidates order by subject, account_id, rank) d
    ), next as materialized (
      select * from ordered where nth <= ${each}
    ), recipients as materialized (
      select n.account_id, n.reason, n.rank, v.subject, v.event, v.at, coalesce(v.comment, v.review, v.review_comment) as comment,
        case when v.review is not null then 'review' when v.review_comment is not null then 'review_comment' else 'comment' end
          as comment_kind
      from next n
      join activities v on v.subject = n.subject
      join accounts a on a.id = n.account_id and a.kind = 'user'
      left join thread_subscriptions s on s.subject_id = n.subject and s.account_id = n.account_id
      where n.account_id <> all (v.actors)
        and (s.state is null or s.state = 'subscribed' or (s.state = 'muted' and n.rank <= ${unmutingRank}))
        and not exists (select from repository_subscriptions w
          where w.repository_id = ${repo.id} and w.account_id = n.account_id and w.ignored)
        and ${readersOf(repo, sql`n.account_id`)}
    ), taking_part as (
      insert into thread_subscriptions as s (account_id, repository_id, subject_id, state, reason, created_at)
      select account_id, ${repo.id}, subject, 'subscribed', reason, at from recipients where rank <= ${joiningRank}
      order by subject, account_id
      on conflict (subject_id, account_id) do update set state = 'subscribed', reason = excluded.reason
    ), changed as (
      insert into notification_threads as t (account_id, repository_id, subject_id, reason, comment_id, comment_kind,
        event_id, updated_at)
      select account_id, ${repo.id}, subject, reason, comment, comment_kind, event, at from recipients
      order by subject, account_id
      on conflict (subject_id, account_id) do update set reason = excluded.reason, event_id = excluded.event_id,
        comment_id = coalesce(excluded.comment_id, t.comment_id),
        comment_kind = case when excluded.comment_id is null then t.comment_kind else excluded.comment_kind end,
        unread = true, done = false, updated_at = excluded.updated_at
        where t.event_id < excluded.event_id
      returning account_id
    ), touched as (${touchInboxes(sql`select account_id from changed`, latest)})
    select subject, max(account_id) as last from next group by subject having count(*) = ${each} order by subject`.execute(tx);
  return rows;
}

/** Mentions, which have this rank or a lower one, unmute a thread. */
const unmutingRank = 2;

/** Recipients with this rank or a lower one become participants: mentioned people, and requested reviewers. */
const joiningRank = 3;

type Source = { readonly rank: number; readonly reason: RawBuilder<unknown>; readonly from: RawBuilder<unknown> };

/** The recipients of an activity `v`: each source with its reason and rank. Each source selects the column `account_id`. */
function sourcesOf({ repo, recipients, activities }: Activities, after: Account): readonly Source[] {
  if (recipients === 'assigned') return [{ rank: 4, reason: sql`'assign'`, from: sql`select v.person as account_id` }];
  if (recipients === 'named') return [{ rank: 9, reason: sql`'subscribed'`, from: sql`select v.person as account_id` }];
  if (recipients === 'triggered') return [{ rank: 4, reason: sql`'ci_activity'`, from: sql`select v.person as account_id` }];
  if (recipients === 'deployment_reviewers') return [{ rank: 3, reason: sql`'approval_requested'`, from: deploymentReviewers }];
  if (recipients === 'checked') return [{ rank: 4, reason: sql`'ci_activity'`, from: checked }];
  if (recipients === 'administrators') return [{ rank: 4, reason: sql`'security_alert'`, from: administrators(repo) }];
  if (recipients === 'requested') return [{ rank: 3, reason: sql`'review_requested'`, from: requested }];
  const mentioned = mentionedIn(repo, activities[0]?.text);
  if (recipients === 'mentioned') return mentioned;
  return [
    ...mentioned,
    {
      rank: 5,
      reason: sql`s.reason`,
      from: sql`select p.account_id, p.reason from thread_subscriptions p
        where p.subject_id = v.subject and p.state = 'subscribed'`,
    },
    // Participants whose own event wasn't processed yet, or happened before threads existed.
    { rank: 6, reason: sql`'author'`, from: sql`select i.author_id as account_id from issues i where i.id = v.issue` },
    {
      rank: 7,
      reason: sql`'assign'`,
      from: sql`select a.user_id as account_id from issue_assignees a where a.issue_id = v.issue`,
    },
    {
      rank: 8,
      reason: sql`'comment'`,
      from: sql`select c.author_id as account_id from (
          select author_id from issue_comments where issue_id = v.issue order by id desc limit ${recentComments}) c
        union select r.author_id from (
          select author_id from reviews where issue_id = v.issue and submitted_at is not null
          order by submitted_at desc, id desc limit ${recentComments}) r`,
    },
    {
      rank: 9,
      reason: sql`'subscribed'`,
      from: sql`select w.account_id from repository_subscriptions w
        where w.repository_id = ${repo.id} and not w.ignored and w.account_id > ${after}`,
    },
  ];
}

/**
 * The user whose push the suite of an activity `v` checked. If that is unknown, the authors of the pull requests with this head.
 */
const checked = sql`
  select s.pushed_by as account_id from check_suites s where s.id = v.suite and s.pushed_by is not null
  union select i.author_id from check_suites s
    join pull_requests p on p.repository_id = s.repository_id and p.head_sha = s.head_sha
    join issues i on i.id = p.issue_id and i.state = 'open'
    where s.id = v.suite and s.pushed_by is null`;

/**
 * The reviewers of the environment that the job of an activity `v` waits for: people, and members of teams. If nobody may review
 * their own deployment, the user who triggered the run is excluded.
 */
const deploymentReviewers = sql`
  select reviewer.account_id from workflow_jobs j
    join workflow_runs w on w.id = j.run_id
    join environment_rules rule on rule.environment_id = j.environment_id and rule.type = 'required_reviewers'
    cross join lateral (
      select e.user_id as account_id from environment_reviewers e
      where e.environment_id = j.environment_id and e.user_id is not null
      union select m.user_id from environment_reviewers e
        join teams t on t.ancestors @> array[e.team_id] join team_members m on m.team_id = t.id
        where e.environment_id = j.environment_id) reviewer
  where j.id = v.job and not (rule.prevent_self_review and reviewer.account_id 
    is not distinct from coalesce(w.on_behalf_of_id, w.triggering_actor_id))`;

/** The administrators of a repository, and the security managers of its organization. */
const administrators = ({ id }: RepositoryRow) => sql`
  select role.account_id from repository_roles role
  where role.repository_id = ${id} and role.level >= ${roleLevel('admin')}
  union select manager.user_id from security_managers manager join repositories r on r.owner_id = manager.organization_id
  where r.id = ${id} and not r.is_private_fork`;

/**
 * The users from whom an activity `v` requests a review: a person, or the members of a team except the author of the pull
 * request.
 */
const requested = sql`
  select v.person as account_id where v.person is not null
  union select m.user_id from teams t join team_members m on m.team_id = t.id
  where t.ancestors @> array[v.team] and v.team = any (t.ancestors)
    and not exists (select from issues i where i.id = v.issue and i.author_id = m.user_id)`;

/** The accounts that an activity's text newly mentions, directly or through a team whose notifications are enabled. */
function mentionedIn(repo: RepositoryRow, sample: Text | undefined): readonly Source[] {
  const newReferences = sql`x.repository_id = ${repo.id} and ${textOf(sample)} and x.created_at = v.at`;
  return [
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
}

/** The condition for the references `x` in the text of an activity `v`, which is of the same kind as the sample. */
function textOf(sample: Text | undefined): RawBuilder<unknown> {
  if (sample && 'release' in sample) return sql`x.release_id = v.release`;
  if (sample && 'commit' in sample) return sql`x.commit_sha = v.commit and x.commit_comment_id is not distinct from v.comment`;
  return sql`x.issue_id = v.issue and x.commit_sha is null and case
    when v.review is not null then x.review_id = v.review
      or exists (select from review_comments c where c.id = x.review_comment_id and c.review_id = v.review)
    when v.review_comment is not null then x.review_comment_id = v.review_comment
    else x.comment_id is not distinct from v.comment and x.review_id is null and x.review_comment_id is null end`;
}

type Acceptance = Pick<Activity, 'event' | 'subject' | 'at'> & Pick<Activities, 'repo'> & { readonly account: Account };

/** Adds a thread for an accepted invitation to the inbox of the person who accepted it. */
export const notifyInvitee = (tx: Tx, { event, repo, subject, at, account }: Acceptance) =>
  sql`
    with changed as (
      insert into notification_threads as t (account_id, repository_id, subject_id, reason, event_id, updated_at)
      select ${account}::bigint, ${repo.id}, ${subject}, 'invitation', ${event}, ${at}::timestamptz
      where not exists (select from thread_subscriptions s where s.subject_id = ${subject} and s.account_id = ${account}
        and s.state <> 'subscribed') and ${readersOf(repo, sql`${account}::bigint`)}
      on conflict (subject_id, account_id) do update set event_id = excluded.event_id, unread = true, done = false,
        updated_at = excluded.updated_at
        where t.event_id < excluded.event_id
      returning account_id
    ) ${touchInboxes(sql`select account_id from changed`, at)}`.execute(tx);
