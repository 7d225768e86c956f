-- Issues, comments, labels, milestones, and the events that they leave.
-- Pull requests will share the numbers (and this table) with issues.

create table milestones (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  number integer not null,
  title text not null,
  description text,
  state text not null default 'open' check (state in ('open', 'closed')),
  creator_id bigint references accounts on delete set null,
  due_on timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (repository_id, number)
);
create unique index milestones_title on milestones (repository_id, title);

create table issues (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  number integer not null,
  title text not null,
  body text,
  author_id bigint references accounts on delete set null,
  state text not null default 'open' check (state in ('open', 'closed')),
  state_reason text check (state_reason in ('completed', 'reopened', 'not_planned', 'duplicate')),
  milestone_id bigint references milestones on delete set null,
  locked boolean not null default false,
  lock_reason text check (lock_reason in ('off-topic', 'too heated', 'resolved', 'spam')),
  comments_count integer not null default 0,
  via_app_id bigint references apps on delete set null,
  closed_at timestamptz,
  closed_by bigint references accounts on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (repository_id, number)
);
create index issues_created on issues (repository_id, state, created_at desc, id desc);
create index issues_updated on issues (repository_id, state, updated_at desc, id desc);
create index issues_author on issues (author_id);
create index issues_milestone on issues (milestone_id) where milestone_id is not null;

create table labels (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  name text not null,
  color text not null,
  description text,
  is_default boolean not null default false
);
create unique index labels_name on labels (repository_id, lower(name));

create table issue_labels (
  issue_id bigint not null references issues on delete cascade,
  label_id bigint not null references labels on delete cascade,
  primary key (issue_id, label_id)
);
create index issue_labels_label on issue_labels (label_id);

create table issue_assignees (
  issue_id bigint not null references issues on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  created_at timestamptz not null,
  primary key (issue_id, user_id)
);
create index issue_assignees_user on issue_assignees (user_id);

create table issue_comments (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  author_id bigint references accounts on delete set null,
  body text not null,
  via_app_id bigint references apps on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index issue_comments_issue on issue_comments (issue_id, id);
create index issue_comments_repository on issue_comments (repository_id, id);
create index issue_comments_author on issue_comments (author_id);

-- One row for each thing that happened to an issue (closed, labeled …). commit_id is set where a push caused it.
create table issue_events (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  issue_id bigint not null references issues on delete cascade,
  actor_id bigint references accounts on delete set null,
  event text not null,
  data jsonb not null default '{}',
  commit_id text,
  via_app_id bigint references apps on delete set null,
  created_at timestamptz not null
);
create index issue_events_issue on issue_events (issue_id, id);
create index issue_events_repository on issue_events (repository_id, id desc);
