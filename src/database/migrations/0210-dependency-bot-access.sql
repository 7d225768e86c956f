-- Which repositories of an organization a bot may read that proposes updates: those of a level, and selected ones.
create table dependency_bot_access (
  organization_id bigint primary key references accounts on delete cascade,
  default_level text check (default_level in ('public', 'internal')),
  selection_id bigint not null unique references repository_selections
);
