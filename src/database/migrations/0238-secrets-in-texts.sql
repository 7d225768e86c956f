-- Secrets stand in texts of issues and pull requests, too: `part` says in which, and the ids whose. A place in a file has none of these columns,
-- one in a text no others.
alter table secret_locations
  alter column commit_sha drop not null,
  alter column blob_sha drop not null,
  alter column path drop not null,
  alter column start_line drop not null,
  alter column end_line drop not null,
  alter column start_column drop not null,
  alter column end_column drop not null,
  add column part text check (part in ('title', 'body', 'comment', 'review', 'review_comment')),
  add column issue_id bigint references issues on delete cascade,
  add column comment_id bigint references issue_comments on delete cascade,
  add column review_id bigint references reviews on delete cascade,
  add column review_comment_id bigint references review_comments on delete cascade,
  add check ((part is null) = (issue_id is null)),
  add check (num_nonnulls(commit_sha, blob_sha, path, start_line, end_line, start_column, end_column) = case when part is null then 7 else 0 end),
  add check ((part is not distinct from 'comment') = (comment_id is not null)),
  add check ((part is not distinct from 'review') = (review_id is not null)),
  add check ((part is not distinct from 'review_comment') = (review_comment_id is not null));
create unique index secret_locations_text
  on secret_locations (alert_id, issue_id, part, comment_id, review_id, review_comment_id) nulls not distinct where part is not null;
-- The first place of an alert, and its list.
create index secret_locations_alert on secret_locations (alert_id, id);
create index secret_locations_issue on secret_locations (issue_id) where issue_id is not null;
create index secret_locations_comment on secret_locations (comment_id) where comment_id is not null;
create index secret_locations_review on secret_locations (review_id) where review_id is not null;
create index secret_locations_review_comment on secret_locations (review_comment_id) where review_comment_id is not null;

-- Places are deleted together with their texts, by cascade; the trigger keeps the counts of alerts.
create function count_removed_secret_locations() returns trigger language plpgsql as $$
begin
  update secret_alerts a set locations_count = a.locations_count - r.count
  from (select alert_id, count(*)::integer as count from removed group by alert_id) as r where a.id = r.alert_id;
  return null;
end $$;
create trigger secret_locations_removed after delete on secret_locations
  referencing old table as removed for each statement execute function count_removed_secret_locations();

-- Scans of texts stand beside those of Git's history: one of each may run at a time. Where a scan of texts goes on: after the row of this table with
-- this id or number, and of reviews, with this time.
alter table secret_scans
  add column source text not null default 'git' check (source in ('git', 'texts')),
  add column next_table text check (next_table in ('issues', 'issue_comments', 'reviews', 'review_comments')),
  add column next_at text,
  add column next_id bigint;
drop index secret_scans_running;
create unique index secret_scans_running on secret_scans (repository_id, source) where completed_at is null;
