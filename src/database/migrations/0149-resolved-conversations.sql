-- Conversations on lines and files that were resolved: the comment that began each has when and by whom.
alter table review_comments
  add column resolved_at timestamptz,
  add column resolved_by bigint references accounts on delete set null,
  add constraint review_comments_resolved check (resolved_at is null or in_reply_to_id is null);
create index review_comments_resolved_by on review_comments (resolved_by) where resolved_by is not null;
create index review_comments_unresolved on review_comments (issue_id)
  where resolved_at is null and in_reply_to_id is null and submitted_at is not null;
