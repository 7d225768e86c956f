-- Comments on commits, on one of their files, or on a place in it.
create table commit_comments (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  commit_sha text not null,
  author_id bigint references accounts on delete set null,
  body text not null,
  path text,
  position integer,
  line integer,
  reactions jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (path is not null or (position is null and line is null))
);
create index commit_comments_repository on commit_comments (repository_id, id);
create index commit_comments_commit on commit_comments (repository_id, commit_sha, id);
create index commit_comments_author on commit_comments (author_id);

alter table reactions
  add commit_comment_id bigint references commit_comments on delete cascade,
  drop constraint reactions_check,
  add constraint reactions_check check (num_nonnulls(issue_id, comment_id, commit_comment_id) = 1);
create unique index reactions_commit_comment on reactions (commit_comment_id, user_id, content) where commit_comment_id is not null;

-- Whom comments on commits mention. Beside the comment, such a row names the commit.
alter table text_references
  add commit_comment_id bigint references commit_comments on delete cascade,
  add constraint text_references_of_commit_comment check (commit_comment_id is null or commit_sha is not null);
drop index text_references_once;
create unique index text_references_once on text_references
  (repository_id, commit_sha, issue_id, comment_id, commit_comment_id, kind, account_id, team_id, target_issue_id, target_sha)
  nulls not distinct;
create index text_references_commit_comment on text_references (commit_comment_id) where commit_comment_id is not null;
