-- What other systems say of commits. Of the statuses of a commit with the same context, the latest one is marked, and each has its number.
create table commit_statuses (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  commit_sha text not null,
  context text not null,
  state text not null check (state in ('error', 'failure', 'pending', 'success')),
  target_url text,
  description text,
  creator_id bigint references accounts on delete set null,
  number integer not null,
  is_latest boolean not null,
  created_at timestamptz not null
);
create index commit_statuses_commit on commit_statuses (repository_id, commit_sha, id);
create unique index commit_statuses_latest on commit_statuses (repository_id, commit_sha, lower(context)) where is_latest;
create index commit_statuses_creator on commit_statuses (creator_id);
