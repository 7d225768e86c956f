import { type RawBuilder, type Selectable, sql } from 'kysely';
import { readableBy } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { TextReferences } from '#text/read.ts';
import { isSwitchedOn, mayReadIssue } from '../readable.ts';

type Row = Selectable<DB['text_references']>;

/** What a reference leads to. One of the ids, or the commit, is set. */
export type Target = Pick<Row, 'kind' | 'account_id' | 'team_id' | 'target_issue_id' | 'target_sha' | 'closes'>;

/**
 * Where a text is: in an issue, a comment on it, a review of it or a comment of that, in a comment on a commit, or in a release.
 */
type TextLocation = Pick<Row, 'repository_id'> &
  Partial<
    Pick<Row, 'issue_id' | 'comment_id' | 'review_id' | 'review_comment_id' | 'commit_sha' | 'commit_comment_id' | 'release_id'>
  >;

type Lookup = {
  repository: Id<'repositories'>;
  /** Who wrote the text. Of other repositories' issues, those that the writer may read count. */
  writer: Viewer;
  references: readonly Omit<TextReferences, 'commits'>[];
};

/** A target, with the index of the text that refers to it. */
type FoundTarget = Target & { text: number };

/** Whether the account in the column may read the repository `r`. */
const mayRead = (account: RawBuilder<unknown>) => sql<boolean>`(r.visibility in ('public', 'internal') or exists (
  select from repository_roles role where role.repository_id = r.id and role.account_id = ${account} and role.level > 0))`;

/**
 * The accounts, teams and issues that texts of a repository refer to, in one statement for all. Accounts and teams that may not
 * read the repository aren't found, nor are issues that the writer may not read, and teams that are secret to the writer.
 */
export async function findTargets(tx: Tx, { repository, writer, references }: Lookup): Promise<FoundTarget[]> {
  const all = <Found>(of: (reference: Lookup['references'][number]) => readonly Found[]) =>
    JSON.stringify(references.flatMap((reference, text) => of(reference).map((found) => ({ ...found, text }))));
  const { rows } = await sql<FoundTarget>`
    with mentioned as (
      select *
      from jsonb_to_recordset(${all(({ mentions }) => mentions.map((login) => ({ login })))}::jsonb) as m(text int, login text)
    ), teams_mentioned as (
      select * from jsonb_to_recordset(${all(({ teamMentions }) => teamMentions)}::jsonb) as m(text int, org text, team text)
    ), referred as (
      select * from jsonb_to_recordset(${all(({ issues }) => issues)}::jsonb)
        as i(text int, owner text, repo text, number int, closes boolean)
    ), found as (
      select m.text, 'mention' as kind, a.id as account_id, null::bigint as team_id, null::bigint as target_issue_id,
        false as closes
      from mentioned m join accounts a on lower(a.login) = m.login join repositories r on r.id = ${repository}
      where a.kind = 'user' and a.suspended_at is null and ${mayRead(sql`a.id`)}
      union all
      select m.text, 'team', null, t.id, null, false
      from teams_mentioned m join accounts o on lower(o.login) = m.org
        join teams t on t.organization_id = o.id and lower(t.slug) = m.team
        join repositories r on r.id = ${repository} and r.owner_id = o.id
      where (t.privacy = 'closed' or exists (
          select from memberships s where s.organization_id = o.id and s.user_id = ${writer.account?.id ?? null}
            and (s.role = 'owner' or exists (select from team_members tm where tm.team_id = t.id and tm.user_id = s.user_id))))
        and exists (select from team_members tm where tm.team_id = t.id and ${mayRead(sql`tm.user_id`)})
      union all
      select w.text, 'issue', null, null, i.id, w.closes
      from referred w join repositories r on r.id = ${repository} join issues i on i.repository_id = r.id and i.number = w.number
      where w.owner is null and ${isSwitchedOn('i')}
      union all
      select w.text, 'issue', null, null, i.id, w.closes
      from referred w join accounts o on lower(o.login) = w.owner
      join repositories r on r.owner_id = o.id and lower(r.name) = w.repo
        join issues i on i.repository_id = r.id and i.number = w.number
      where case when r.id = ${repository} then ${isSwitchedOn('i')}
        else ${readableBy(writer)} and ${mayReadIssue(writer)} end
    )
    select text, kind, account_id, team_id, target_issue_id, null as target_sha, bool_or(closes) as closes
    from found group by text, kind, account_id, team_id, target_issue_id
    order by text, kind, account_id, team_id, target_issue_id`.execute(tx);
  return rows;
}

const columns = sql`kind, account_id, team_id, target_issue_id, target_sha`;

/**
 * Makes the rows of a text what it refers to now, and returns the targets that it didn't refer to before. The caller holds the
 * lock of the issue, comment or release.
 */
export async function replaceReferences(tx: Tx, location: TextLocation, targets: readonly Target[], at: Date): Promise<Target[]> {
  const { repository_id, issue_id = null, comment_id = null, review_id = null, review_comment_id = null } = location;
  const { commit_sha = null, commit_comment_id = null, release_id = null } = location;
  const { rows } = await sql<Target>`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb)
        as w(kind text, account_id bigint, team_id bigint, target_issue_id bigint, target_sha text, closes boolean)
    ), former as materialized (
      select * from text_references where ${inText(location)}
    ), kept as materialized (
      select f.id, w.closes from former f join wanted w
        on row(f.kind, f.account_id, f.team_id, f.target_issue_id, f.target_sha)
          is not distinct from row(w.kind, w.account_id, w.team_id, w.target_issue_id, w.target_sha)
    ), dropped as (
      delete from text_references where id in (select id from former except select id from kept)
    ), changed as (
      update text_references t set closes = kept.closes from kept where kept.id = t.id and kept.closes <> t.closes
    )
    insert into text_references (repository_id, issue_id, comment_id, review_id, review_comment_id, commit_sha, commit_comment_id,
      release_id, ${columns}, closes, created_at)
    select ${repository_id}, ${issue_id}::bigint, ${comment_id}::bigint, ${review_id}::bigint, ${review_comment_id}::bigint,
      ${commit_sha}::text, ${commit_comment_id}::bigint, ${release_id}::bigint, ${columns}, closes, ${at} from wanted
    on conflict do nothing returning ${columns}, closes`.execute(tx);
  return rows;
}

function inText({
  issue_id = null,
  comment_id = null,
  review_id = null,
  review_comment_id = null,
  commit_comment_id = null,
  release_id = null,
}: TextLocation): RawBuilder<unknown> {
  if (release_id !== null) return sql`release_id = ${release_id}`;
  if (commit_comment_id !== null) return sql`commit_comment_id = ${commit_comment_id}`;
  if (review_comment_id !== null) return sql`review_comment_id = ${review_comment_id}`;
  if (review_id !== null) return sql`review_id = ${review_id}`;
  return sql`issue_id = ${issue_id} and comment_id is not distinct from ${comment_id}::bigint and review_id is null
    and review_comment_id is null`;
}

/** Writes the references of commits, and returns those that weren't known before: a commit may be pushed again. */
export async function insertCommitReferences(
  tx: Tx,
  repository: Id<'repositories'>,
  references: readonly (Target & { commit_sha: string })[],
  at: Date,
): Promise<(Target & { commit_sha: string })[]> {
  if (references.length === 0) return [];
  const { rows } = await sql<Target & { commit_sha: string }>`
    insert into text_references (repository_id, commit_sha, ${columns}, closes, created_at)
    select ${repository}, commit_sha, ${columns}, closes, ${at} from jsonb_to_recordset(${JSON.stringify(references)}::jsonb)
      as w(commit_sha text, kind text, account_id bigint, team_id bigint, target_issue_id bigint, target_sha text, closes boolean)
    on conflict do nothing returning commit_sha, ${columns}, closes`.execute(tx);
  return rows;
}

type ReferenceEvents = {
  repository: Id<'repositories'>;
  issue: Id<'issues'>;
  actor: Id<'accounts'>;
  app: Id<'apps'> | null;
  at: Date;
  mentioned: readonly Id<'accounts'>[];
  referred: readonly Id<'issues'>[];
};

/**
 * Inserts the issue events of new references. As in the public API, those who are mentioned are the actors of `mentioned` and
 * `subscribed`, once in each issue, and an issue is cross-referenced once by each other issue. The target's `updated_at` stays,
 * since it would tell everybody of a reference that not everybody may see. Rows go in by their ids: of two texts at once that
 * mention the same people, one waits for the other.
 */
export async function insertReferenceEvents(tx: Tx, events: ReferenceEvents): Promise<void> {
  const { repository, issue, actor, app, at, mentioned, referred } = events;
  if (mentioned.length === 0 && referred.length === 0) return;
  await sql`
    with mentioned as (
      insert into issue_events (repository_id, issue_id, actor_id, event, created_at)
      select ${repository}, ${issue}, a.id, 'mentioned', ${at} from unnest(${[...mentioned]}::bigint[]) as a (id) order by a.id
      on conflict do nothing returning actor_id
    ), subscribed as (
      insert into issue_events (repository_id, issue_id, actor_id, event, created_at)
      select ${repository}, ${issue}, actor_id, 'subscribed', ${at} from mentioned
    )
    insert into issue_events (repository_id, issue_id, actor_id, via_app_id, event, created_at, source_issue_id,
      source_repository_id)
    select i.repository_id, i.id, ${actor}, ${app}::bigint, 'cross-referenced', ${at}, ${issue},
      nullif(${repository}, i.repository_id)
    from issues i where i.id = any (${[...referred]}::bigint[]) order by i.id
    on conflict do nothing`.execute(tx);
}

/**
 * What happened to issues by pushed commits: where they were pushed, by whom, and which commits refer to which issues or close
 * them.
 */
type CommitEvents = {
  repository: Id<'repositories'>;
  actor: Id<'accounts'> | undefined;
  at: Date;
  /** In their order. */
  events: readonly { event: 'referenced' | 'closed'; issue: Id<'issues'>; commit: string }[];
};

/** Inserts the issue events of pushed commits. Where an app's bot pushed, they name the app. */
export async function insertCommitEvents(tx: Tx, { repository, actor, at, events }: CommitEvents): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into issue_events (repository_id, issue_id, actor_id, via_app_id, event, data, commit_id, created_at,
      source_repository_id)
    select i.repository_id, i.id, ${actor ?? null}::bigint, (select a.id from apps a where a.bot_id = ${actor ?? null}),
      e.event, case e.event when 'closed' then '{"state_reason": "completed"}'::jsonb else '{}' end, e.commit, ${at},
      nullif(${repository}, i.repository_id)
    from rows from (jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as (event text, issue bigint, commit text))
      with ordinality as e (event, issue, commit, nth)
    join issues i on i.id = e.issue order by e.nth`.execute(tx);
}

/** Closes the open issues of the repository among these. Pull requests stay open. Returns the ids of the closed ones. */
export async function closeIssues(
  tx: Tx,
  issues: readonly Id<'issues'>[],
  { repository, actor, at }: Pick<CommitEvents, 'repository' | 'actor' | 'at'>,
): Promise<Id<'issues'>[]> {
  if (issues.length === 0) return [];
  const { rows } = await sql<{ id: Id<'issues'> }>`
    update issues i set state = 'closed', state_reason = 'completed', closed_at = ${at}, closed_by = ${actor ?? null},
      updated_at = greatest(i.updated_at, ${at})
    where i.id in (
      select id from issues where id = any (${[...issues]}::bigint[]) and repository_id = ${repository} and state = 'open'
        and not is_pull_request
      order by id for no key update)
    returning i.id`.execute(tx);
  return rows.map(({ id }) => id);
}
