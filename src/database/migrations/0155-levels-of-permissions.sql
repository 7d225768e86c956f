-- Every permission has its own levels. Sets that name another one get the highest that this includes, or lose the permission.
create function pg_temp.permitted(held jsonb) returns jsonb language sql as $$
  select coalesce(jsonb_object_agg(key, case
      when key in ('organization_events', 'organization_plan') then 'read'
      when value = 'admin' and key not in ('organization_custom_properties', 'organization_projects', 'repository_projects') then 'write'
      else value end), '{}')
  from jsonb_each_text(held)
  where not (value = 'read' and key in ('profile', 'workflows'))
$$;
update apps set permissions = pg_temp.permitted(permissions) where permissions <> pg_temp.permitted(permissions);
update installations set permissions = pg_temp.permitted(permissions) where permissions <> pg_temp.permitted(permissions);
update tokens set permissions = pg_temp.permitted(permissions) where permissions <> pg_temp.permitted(permissions);
