-- Lists of many issues, comments and repositories, in each order that they are asked for.
create index issues_of_repository_created on issues (repository_id, created_at desc, id desc);
create index issues_of_repository_updated on issues (repository_id, updated_at desc, id desc);
create index issues_of_repository_comments on issues (repository_id, comments_count desc, id desc);
create index issues_comments on issues (repository_id, state, comments_count desc, id desc);
create index issue_comments_updated on issue_comments (repository_id, updated_at, id);
create index repositories_owner_created on repositories (owner_id, created_at desc nulls last, id desc);

-- The roles of repository_roles once more, by whose repositories they are in, and by which: a member of an organization with ten thousand
-- repositories has one row here, and ten thousand there. They aren't one upon the other, since PostgreSQL would read all accounts to join
-- such a union with a repository.
create view owner_roles as
  select o.id as owner_id, o.id as account_id, 5 as level from accounts o where o.kind <> 'organization'
  union all
  select m.organization_id, m.user_id, case m.role when 'owner' then 5 else role_level(g.default_repository_permission) end
    from memberships m join organizations g on g.account_id = m.organization_id
    where m.state = 'active'
  union all
  select h.organization_id, h.user_id, role_level(h.base_role) from organization_role_holders h;

create view direct_roles as
  select c.repository_id, c.user_id as account_id, role_level(c.role) as level from collaborators c
  union all
  select tr.repository_id, tm.user_id, role_level(tr.role)
    from team_members tm
    join teams t on t.id = tm.team_id
    join team_repositories tr on tr.team_id = any (t.ancestors);
