-- Invitations into organizations, of an account or of an e-mail address: pending ones, and those that failed. They are what a pending
-- membership is; a membership is there from its acceptance on.
create table organization_invitations (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  invitee_id bigint references accounts on delete cascade,
  -- Who has this address, verified, may accept. Nobody is told who that is.
  email text,
  role text not null check (role in ('owner', 'member')),
  inviter_id bigint references accounts on delete set null,
  created_at timestamptz not null,
  failed_at timestamptz,
  failed_reason text,
  check (num_nonnulls(invitee_id, email) = 1),
  check (num_nonnulls(failed_at, failed_reason) <> 1)
);
create unique index organization_invitations_invitee on organization_invitations (organization_id, invitee_id) where invitee_id is not null;
create unique index organization_invitations_email on organization_invitations (organization_id, lower(email)) where email is not null;
create index organization_invitations_of on organization_invitations (invitee_id) where invitee_id is not null;
create index organization_invitations_to on organization_invitations (lower(email)) where email is not null;
create index organization_invitations_pending on organization_invitations (created_at) where failed_at is null;

insert into organization_invitations (id, organization_id, invitee_id, role, inviter_id, created_at)
  overriding system value
  select invitation_id, organization_id, user_id, role, invited_by, created_at from memberships where state = 'pending';
-- Numbers that lists have shown already aren't given again.
select setval(pg_get_serial_sequence('organization_invitations', 'id'), (select max(invitation_id) from memberships))
  where exists (select from memberships);

alter table team_invitations add column invitation_id bigint references organization_invitations on delete cascade;
update team_invitations t set invitation_id = o.id from organization_invitations o
  where o.organization_id = t.organization_id and o.invitee_id = t.user_id;
delete from team_invitations where invitation_id is null;
alter table team_invitations drop column organization_id, drop column user_id;
alter table team_invitations alter column invitation_id set not null, add primary key (invitation_id, team_id);
create index team_invitations_team on team_invitations (team_id);

create or replace view repository_roles as
  select r.id as repository_id, r.owner_id as account_id, 5 as level, 'owner' as source
    from repositories r join accounts o on o.id = r.owner_id and o.kind <> 'organization'
  union all
  select r.id, m.user_id, case m.role when 'owner' then 5 else role_level(g.default_repository_permission) end, 'membership'
    from memberships m
    join organizations g on g.account_id = m.organization_id
    join repositories r on r.owner_id = m.organization_id
  union all
  select c.repository_id, c.user_id, role_level(c.role), 'collaborator' from collaborators c
  union all
  select tr.repository_id, tm.user_id, role_level(tr.role), 'team'
    from team_members tm
    join teams t on t.id = tm.team_id
    join team_repositories tr on tr.team_id = any (t.ancestors)
  union all
  select r.id, h.user_id, role_level(h.base_role), 'organization role'
    from organization_role_holders h join repositories r on r.owner_id = h.organization_id;

create or replace view owner_roles as
  select o.id as owner_id, o.id as account_id, 5 as level from accounts o where o.kind <> 'organization'
  union all
  select m.organization_id, m.user_id, case m.role when 'owner' then 5 else role_level(g.default_repository_permission) end
    from memberships m join organizations g on g.account_id = m.organization_id
  union all
  select h.organization_id, h.user_id, role_level(h.base_role) from organization_role_holders h;

delete from memberships where state = 'pending';
alter table memberships drop column state, drop column invited_by, drop column invitation_id;

-- Who was a member, and what, for those who are invited again with the role that they had.
create table former_members (
  organization_id bigint not null references accounts on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  role text not null check (role in ('owner', 'member')),
  ended_at timestamptz not null,
  primary key (organization_id, user_id)
);
create index former_members_user on former_members (user_id);
