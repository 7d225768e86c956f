-- Reactions to issues and to comments, each counted on what it is of: lists and searches read the counts alone.

alter table issues add column reactions jsonb not null default '{}';
alter table issue_comments add column reactions jsonb not null default '{}';

create table reactions (
  id bigint generated always as identity primary key,
  issue_id bigint references issues on delete cascade,
  comment_id bigint references issue_comments on delete cascade,
  user_id bigint references accounts on delete set null,
  content text not null check (content in ('+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes')),
  created_at timestamptz not null,
  check (num_nonnulls(issue_id, comment_id) = 1)
);
create unique index reactions_issue on reactions (issue_id, user_id, content) where issue_id is not null;
create unique index reactions_comment on reactions (comment_id, user_id, content) where comment_id is not null;
create index reactions_user on reactions (user_id);
