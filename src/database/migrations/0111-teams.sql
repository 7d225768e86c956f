-- The role that a team gets in a repository where the request names none.
alter table teams add column repository_role text not null default 'read' check (repository_role in ('read', 'write', 'admin'));
create index teams_parent on teams (parent_id) where parent_id is not null;

-- Places in teams for people who haven't accepted their invitation into the organization yet. They end with that invitation.
create table team_invitations (
  team_id bigint not null references teams on delete cascade,
  organization_id bigint not null references accounts on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  role text not null check (role in ('member', 'maintainer')),
  created_at timestamptz not null,
  primary key (team_id, user_id),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create index team_invitations_membership on team_invitations (organization_id, user_id);

-- The number of the invitation that a membership began with, as lists of invitations show it.
alter table memberships add column invitation_id bigint generated always as identity;
