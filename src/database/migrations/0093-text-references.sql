-- What texts refer to: accounts and teams that they mention, issues and commits. The text is an issue's body, a comment on it, or the
-- message of a commit that was pushed. Accounts and teams that couldn't read the repository at that time have no rows.
create table text_references (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint references issues on delete cascade,
  comment_id bigint references issue_comments on delete cascade,
  commit_sha text,
  kind text not null check (kind in ('mention', 'team', 'issue', 'commit')),
  account_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  target_issue_id bigint references issues on delete cascade,
  target_sha text,
  -- Whether a closing keyword stands before the reference.
  closes boolean not null default false,
  created_at timestamptz not null,
  check ((issue_id is null) <> (commit_sha is null)),
  check (comment_id is null or issue_id is not null),
  check (num_nonnulls(account_id, team_id, target_issue_id, target_sha) = 1)
);
-- A commit that is pushed again, or read again by a job that was interrupted, refers to the same things only once.
create unique index text_references_once on text_references
  (repository_id, commit_sha, issue_id, comment_id, kind, account_id, team_id, target_issue_id, target_sha) nulls not distinct;
create index text_references_issue on text_references (issue_id, created_at) where issue_id is not null;
create index text_references_comment on text_references (comment_id) where comment_id is not null;
create index text_references_account on text_references (account_id, issue_id) where account_id is not null;
create index text_references_team on text_references (team_id, issue_id) where team_id is not null;
create index text_references_target on text_references (target_issue_id) where target_issue_id is not null;

-- The issue, and if that is in another repository also the repository, from which an event came: of the text or the commit that
-- refers to the issue. Only those who may read it see the event.
alter table issue_events
  add source_issue_id bigint references issues on delete cascade,
  add source_repository_id bigint references repositories on delete cascade,
  -- Some viewers, or some lists, don't see the event. All others are counted in an index, without their rows.
  add restricted boolean not null generated always as (
    source_repository_id is not null
    or event in ('cross-referenced', 'issue_field_added', 'issue_field_changed', 'issue_field_removed')) stored;
create unique index issue_events_cross_reference on issue_events (source_issue_id, issue_id) where source_issue_id is not null;
create index issue_events_source on issue_events (source_repository_id) where source_repository_id is not null;
-- As in the public API, an account is mentioned once in an issue.
create unique index issue_events_mentioned on issue_events (issue_id, actor_id) where event = 'mentioned';
drop index issue_events_issue;
drop index issue_events_repository;
create index issue_events_issue on issue_events (issue_id, restricted, created_at, id);
create index issue_events_repository on issue_events (repository_id, restricted, created_at, id);
create index issue_comments_timeline on issue_comments (issue_id, created_at, id);

-- The issue of which this one is a duplicate.
alter table issues add duplicate_of_id bigint references issues on delete set null;
create index issues_duplicate on issues (duplicate_of_id) where duplicate_of_id is not null;
