-- Roles that hold for a whole organization: those of every installation (organization_id is null), and who has them.

create table organization_roles (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  name text not null,
  description text,
  -- The role that its holders have in every repository of the organization.
  base_role text check (base_role in ('read', 'triage', 'write', 'maintain', 'admin')),
  -- What it grants in the organization itself.
  permissions text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index organization_roles_name on organization_roles (organization_id, lower(name)) nulls not distinct;

insert into organization_roles (name, description, base_role) values
  ('all_repo_read', 'Reads every repository of the organization.', 'read'),
  ('all_repo_triage', 'Sorts the issues and pull requests of every repository of the organization.', 'triage'),
  ('all_repo_write', 'Writes to every repository of the organization.', 'write'),
  ('all_repo_maintain', 'Maintains every repository of the organization.', 'maintain'),
  ('all_repo_admin', 'Administers every repository of the organization.', 'admin');

-- A member or a team has a role. A membership that ends takes its roles along.
create table organization_role_assignments (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  role_id bigint not null references organization_roles on delete cascade,
  user_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  created_at timestamptz not null,
  foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade,
  check (num_nonnulls(user_id, team_id) = 1)
);
create unique index organization_role_assignments_user on organization_role_assignments (organization_id, role_id, user_id)
  where user_id is not null;
create unique index organization_role_assignments_team on organization_role_assignments (organization_id, role_id, team_id)
  where team_id is not null;
create index organization_role_assignments_by_user on organization_role_assignments (user_id);
create index organization_role_assignments_by_team on organization_role_assignments (team_id);

-- Everybody who has a role, once for each way: directly (team_id is null), or by a team or one above it.
create view organization_role_holders as
  select a.organization_id, a.role_id, r.base_role, a.user_id, null::bigint as team_id
    from organization_role_assignments a join organization_roles r on r.id = a.role_id
    where a.user_id is not null
  union all
  select a.organization_id, a.role_id, r.base_role, m.user_id, a.team_id
    from organization_role_assignments a join organization_roles r on r.id = a.role_id
    join teams t on t.ancestors @> array[a.team_id] join team_members m on m.team_id = t.id
    where a.team_id is not null;
