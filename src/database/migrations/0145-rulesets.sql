-- Rulesets of repositories and organizations. conditions and rules are as requests have them: they are read and written as a whole.
create table rulesets (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  name text not null,
  target text not null check (target in ('branch', 'tag', 'push')),
  enforcement text not null check (enforcement in ('disabled', 'active', 'evaluate')),
  conditions jsonb not null,
  rules jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (num_nonnulls(organization_id, repository_id) = 1)
);
create unique index rulesets_organization on rulesets (organization_id, lower(name)) where organization_id is not null;
create unique index rulesets_repository on rulesets (repository_id, lower(name)) where repository_id is not null;

-- Who may bypass a ruleset, in the order given. role_id is the public API's id of a repository role.
create table ruleset_bypass_actors (
  ruleset_id bigint not null references rulesets on delete cascade,
  position integer not null,
  kind text not null check (kind in ('Integration', 'OrganizationAdmin', 'RepositoryRole', 'Team', 'DeployKey', 'User')),
  app_id bigint references apps on delete cascade,
  team_id bigint references teams on delete cascade,
  user_id bigint references accounts on delete cascade,
  role_id integer check (role_id between 1 and 5),
  mode text not null check (mode in ('always', 'pull_request', 'exempt')),
  primary key (ruleset_id, position),
  check ((kind = 'Integration') = (app_id is not null) and (kind = 'Team') = (team_id is not null)
    and (kind = 'User') = (user_id is not null) and (kind = 'RepositoryRole') = (role_id is not null))
);
create index ruleset_bypass_actors_app on ruleset_bypass_actors (app_id) where app_id is not null;
create index ruleset_bypass_actors_team on ruleset_bypass_actors (team_id) where team_id is not null;
create index ruleset_bypass_actors_user on ruleset_bypass_actors (user_id) where user_id is not null;

-- Each state that a ruleset had, with who gave it that. state has the columns of the ruleset and its bypass actors.
create table ruleset_versions (
  id bigint generated always as identity primary key,
  ruleset_id bigint not null references rulesets on delete cascade,
  actor_id bigint references accounts on delete set null,
  state jsonb not null,
  created_at timestamptz not null
);
create index ruleset_versions_ruleset on ruleset_versions (ruleset_id, id);
create index ruleset_versions_actor on ruleset_versions (actor_id) where actor_id is not null;
