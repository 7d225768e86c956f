-- Who has a seat of the assistant: people of an organization, by themselves or by a team. One that was cancelled ends on a day.
create table assistant_assignments (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  user_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  ends_on date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint assistant_assignments_of_one check (num_nonnulls(user_id, team_id) = 1),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create unique index assistant_assignments_user on assistant_assignments (organization_id, user_id) where user_id is not null;
create unique index assistant_assignments_team on assistant_assignments (organization_id, team_id) where team_id is not null;
create index assistant_assignments_of_user on assistant_assignments (user_id) where user_id is not null;
create index assistant_assignments_of_team on assistant_assignments (team_id) where team_id is not null;
create index assistant_assignments_end on assistant_assignments (ends_on) where ends_on is not null;

-- Spaces of an organization, in which people keep what the assistant is to know.
create table assistant_spaces (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  number integer not null,
  name text not null,
  description text,
  general_instructions text,
  base_role text not null check (base_role in ('reader', 'writer', 'admin', 'no_access')),
  creator_id bigint references accounts on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index assistant_spaces_number on assistant_spaces (organization_id, number);
create index assistant_spaces_creator on assistant_spaces (creator_id);

create table assistant_space_collaborators (
  id bigint generated always as identity primary key,
  space_id bigint not null references assistant_spaces on delete cascade,
  user_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  role text not null check (role in ('reader', 'writer', 'admin')),
  created_at timestamptz not null,
  constraint assistant_space_collaborators_of_one check (num_nonnulls(user_id, team_id) = 1)
);
create unique index assistant_space_collaborators_once on assistant_space_collaborators (space_id, user_id, team_id) nulls not distinct;
create index assistant_space_collaborators_user on assistant_space_collaborators (user_id) where user_id is not null;
create index assistant_space_collaborators_team on assistant_space_collaborators (team_id) where team_id is not null;
