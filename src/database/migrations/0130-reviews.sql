-- Reviews of pull requests, and the comments that belong to them. `issue_id` is the issue that the pull request also is.
create table reviews (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  author_id bigint references accounts on delete set null,
  state text not null check (state in ('PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
  body text not null,
  commit_sha text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A pending review is its author's alone.
  submitted_at timestamptz,
  check ((state = 'PENDING') = (submitted_at is null))
);
create index reviews_issue on reviews (issue_id, submitted_at, id);
create index reviews_repository on reviews (repository_id);
create index reviews_author on reviews (author_id);
create unique index reviews_pending on reviews (issue_id, author_id) where state = 'PENDING';
-- The latest review of each reviewer that decides something.
create index reviews_deciding on reviews (issue_id, author_id, submitted_at desc, id desc)
  where state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED');

-- Comments on lines of a pull request's diff, on ranges of lines, or on files, and the replies to them.
create table review_comments (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  review_id bigint not null references reviews on delete cascade,
  author_id bigint references accounts on delete set null,
  -- The comment that began the conversation.
  in_reply_to_id bigint references review_comments on delete set null,
  -- When its review was submitted.
  submitted_at timestamptz,
  body text not null,
  path text not null,
  subject_type text not null check (subject_type in ('line', 'file')),
  side text not null check (side in ('LEFT', 'RIGHT')),
  start_side text check (start_side in ('LEFT', 'RIGHT')),
  -- Where it was written: the commit, what that was compared with, the line, and its place in the diff.
  original_commit_sha text not null,
  original_base_sha text not null,
  original_position integer not null,
  original_line integer,
  original_start_line integer,
  diff_hunk text not null,
  -- Where that is in the present diff: null where it isn't there any more. The commit is the last one in whose diff it was.
  commit_sha text not null,
  position integer,
  line integer,
  start_line integer,
  reactions jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((start_side is null) = (original_start_line is null)),
  check ((subject_type = 'line') = (original_line is not null))
);
create index review_comments_issue on review_comments (issue_id, id);
create index review_comments_issue_updated on review_comments (issue_id, updated_at, id);
create index review_comments_repository on review_comments (repository_id, id);
create index review_comments_repository_updated on review_comments (repository_id, updated_at, id);
create index review_comments_review on review_comments (review_id, id);
create index review_comments_author on review_comments (author_id);
create index review_comments_conversation on review_comments (in_reply_to_id, id) where in_reply_to_id is not null;
-- The conversations of a pull request's timeline.
create index review_comments_timeline on review_comments (issue_id, submitted_at, id) where in_reply_to_id is null;
