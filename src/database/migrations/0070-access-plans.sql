-- What every request of a signed-in account asks, without a look at what belongs to all others.

create index repositories_internal on repositories (id) where visibility = 'internal';

-- Said in both directions, so that either index serves: from a team to those who have its role, and from a member's teams up.
create or replace view organization_role_holders as
  select a.organization_id, a.role_id, r.base_role, a.user_id, null::bigint as team_id
    from organization_role_assignments a join organization_roles r on r.id = a.role_id
    where a.user_id is not null
  union all
  select a.organization_id, a.role_id, r.base_role, m.user_id, a.team_id
    from organization_role_assignments a join organization_roles r on r.id = a.role_id
    join teams t on t.ancestors @> array[a.team_id] and a.team_id = any (t.ancestors)
    join team_members m on m.team_id = t.id
    where a.team_id is not null;
