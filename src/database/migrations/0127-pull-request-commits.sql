-- The commits of pull requests, for timelines, and to find the pull requests of a commit. The public API shows 250 of each.
create table pull_request_commits (
  issue_id bigint not null references issues on delete cascade,
  commit_sha text not null,
  position integer not null,
  added_at timestamptz not null,
  primary key (issue_id, commit_sha)
);
create index pull_request_commits_sha on pull_request_commits (commit_sha);
