-- Pull requests. Each is an issue, whose number, texts, labels and conversation it has, with a row of its own for what Git has to do with.

alter table issues
  add column is_pull_request boolean not null default false,
  add column is_draft boolean not null default false,
  add column merged_at timestamptz,
  add constraint issues_of_pull_requests check (is_pull_request or (not is_draft and merged_at is null));

create table pull_requests (
  pull_id bigint generated always as identity primary key,
  issue_id bigint not null unique references issues on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  -- Names of branches, without refs/heads/.
  base_ref text not null,
  head_ref text not null,
  -- Null where the repository or account was deleted.
  head_repository_id bigint references repositories on delete set null,
  head_owner_id bigint references accounts on delete set null,
  -- The head, and the base as it was when the head or the base branch was last set.
  base_sha text not null,
  head_sha text not null,
  -- What the changes are compared with.
  merge_base_sha text not null,
  commits_count integer not null,
  additions integer not null,
  deletions integer not null,
  changed_files integer not null,
  review_comments_count integer not null default 0,
  maintainer_can_modify boolean not null default false,
  head_is_deleted boolean not null default false,
  -- Whether the head can be merged, as it was tested for these two commits. The test's merge is the merge_commit_sha of an open pull request.
  is_mergeable boolean,
  is_rebaseable boolean,
  tested_base_sha text,
  tested_head_sha text,
  merge_commit_sha text,
  merged_by bigint references accounts on delete set null
);
create index pull_requests_base on pull_requests (repository_id, base_ref);
create index pull_requests_head on pull_requests (head_repository_id, head_ref);
create index pull_requests_head_owner on pull_requests (head_owner_id);
create index pull_requests_merged_by on pull_requests (merged_by) where merged_by is not null;
create index pull_requests_head_sha on pull_requests (repository_id, head_sha);

-- Lists of the pull requests of a repository.
create index issues_pull_requests on issues (repository_id, state, created_at, id) where is_pull_request;
create index issues_pull_requests_updated on issues (repository_id, updated_at, id) where is_pull_request;

-- Merges that are about to move their base branch, written before Git moves it: a process that dies in between is completed by these.
create table planned_merges (
  id bigint generated always as identity primary key,
  issue_id bigint not null references issues on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  merge_commit_sha text not null,
  head_sha text not null,
  actor_id bigint not null references accounts on delete cascade,
  via_app_id bigint references apps on delete set null,
  planned_at timestamptz not null
);
create index planned_merges_commit on planned_merges (repository_id, merge_commit_sha);
create index planned_merges_issue on planned_merges (issue_id);
create index planned_merges_actor on planned_merges (actor_id);
create index planned_merges_app on planned_merges (via_app_id) where via_app_id is not null;
