-- Who may open issues, comment and react for a time: in one repository, or in all repositories of an organization. A limit that has
-- expired doesn't hold; its row stays until the next one takes its place.
create table interaction_limits (
  id bigint generated always as identity primary key,
  organization_id bigint unique references accounts on delete cascade,
  repository_id bigint unique references repositories on delete cascade,
  interaction_group text not null check (interaction_group in ('existing_users', 'contributors_only', 'collaborators_only')),
  expires_at timestamptz not null,
  check (num_nonnulls(organization_id, repository_id) = 1)
);
