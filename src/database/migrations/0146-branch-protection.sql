-- What branches are protected from. A protection belongs to a name: the branch may be deleted and made again.
create table branch_protections (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  branch text not null,
  enforce_admins boolean not null,
  required_signatures boolean not null,
  required_linear_history boolean not null,
  required_conversation_resolution boolean not null,
  allow_force_pushes boolean not null,
  allow_deletions boolean not null,
  block_creations boolean not null,
  lock_branch boolean not null,
  allow_fork_syncing boolean not null,
  -- Whether the actors of the list `push` alone may push.
  restricts_pushes boolean not null,
  -- Null where none are required; see StatusChecks in src/resources/branch-protection/store.ts.
  status_checks jsonb,
  -- Null where none are required; see ReviewRequirements there.
  reviews jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (repository_id, branch)
);

-- Who may push, dismiss reviews, or do without a pull request.
create table branch_protection_actors (
  protection_id bigint not null references branch_protections on delete cascade,
  list text not null check (list in ('push', 'dismissal', 'bypass')),
  user_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  app_id bigint references apps on delete cascade,
  check (num_nonnulls(user_id, team_id, app_id) = 1),
  unique nulls not distinct (protection_id, list, user_id, team_id, app_id)
);
create index branch_protection_actors_user on branch_protection_actors (user_id) where user_id is not null;
create index branch_protection_actors_team on branch_protection_actors (team_id) where team_id is not null;
create index branch_protection_actors_app on branch_protection_actors (app_id) where app_id is not null;
