-- Who is asked to review a pull request: people, and teams.
create table review_requests (
  id bigint generated always as identity primary key,
  issue_id bigint not null references issues on delete cascade,
  user_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  created_at timestamptz not null,
  check ((user_id is null) <> (team_id is null)),
  unique (issue_id, user_id),
  unique (issue_id, team_id)
);
create index review_requests_user on review_requests (user_id) where user_id is not null;
create index review_requests_team on review_requests (team_id) where team_id is not null;
