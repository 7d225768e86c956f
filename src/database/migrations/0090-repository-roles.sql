-- Who has which role in which repository, from every source: the one place that says so. Levels are 0 (no role) to 5 (admin). What
-- everybody may read by a repository's visibility isn't a role.
create function role_level(role text) returns integer language sql immutable parallel safe
  return coalesce(array_position(array['read', 'triage', 'write', 'maintain', 'admin'], role), 0);

create view repository_roles as
  select r.id as repository_id, r.owner_id as account_id, 5 as level, 'owner' as source
    from repositories r join accounts o on o.id = r.owner_id and o.kind <> 'organization'
  union all
  select r.id, m.user_id, case m.role when 'owner' then 5 else role_level(g.default_repository_permission) end, 'membership'
    from memberships m
    join organizations g on g.account_id = m.organization_id
    join repositories r on r.owner_id = m.organization_id
    where m.state = 'active'
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
