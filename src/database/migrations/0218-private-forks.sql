-- Private forks, in which a vulnerability is repaired before its advisory is published. They have no parent: to others, nothing tells of them.
alter table repositories add is_private_fork boolean not null default false;
create index repositories_private_forks on repositories (id) where is_private_fork;
alter table repository_advisories add fork_id bigint unique references repositories on delete set null;

-- What an organization lets its members do in all of its repositories doesn't hold for private forks, but for those who may do anything.
-- The roles of one repository are found by indexes: the holders of organization roles in branches of their own, since PostgreSQL reads a union
-- within a union as a whole before it joins it, and teams by the index of what stands above them.
create or replace view repository_roles as
  select r.id as repository_id, r.owner_id as account_id, 5 as level, 'owner' as source
    from repositories r join accounts o on o.id = r.owner_id and o.kind <> 'organization'
  union all
  select r.id, m.user_id,
      case when m.role = 'owner' then 5
        when r.is_private_fork and g.default_repository_permission <> 'admin' then 0
        else role_level(g.default_repository_permission) end,
      'membership'
    from memberships m
    join organizations g on g.account_id = m.organization_id
    join repositories r on r.owner_id = m.organization_id
  union all
  select c.repository_id, c.user_id, role_level(c.role), 'collaborator' from collaborators c
  union all
  select tr.repository_id, tm.user_id, role_level(tr.role), 'team'
    from team_members tm
    join teams t on t.id = tm.team_id
    join team_repositories tr on tr.team_id = any (t.ancestors) and t.ancestors @> array[tr.team_id]
  union all
  select r.id, a.user_id, case when r.is_private_fork and o.base_role <> 'admin' then 0 else role_level(o.base_role) end,
      'organization role'
    from organization_role_assignments a
    join organization_roles o on o.id = a.role_id
    join repositories r on r.owner_id = a.organization_id
    where a.user_id is not null
  union all
  select r.id, m.user_id, case when r.is_private_fork and o.base_role <> 'admin' then 0 else role_level(o.base_role) end,
      'organization role'
    from organization_role_assignments a
    join organization_roles o on o.id = a.role_id
    join teams t on t.ancestors @> array[a.team_id] and a.team_id = any (t.ancestors)
    join team_members m on m.team_id = t.id
    join repositories r on r.owner_id = a.organization_id
    where a.team_id is not null;
