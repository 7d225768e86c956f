-- The private forks that an account doesn't see: a role in all repositories of their owner isn't enough there, unless it may do anything. A
-- function, since every list asks it: its plan is made once for each connection, and not again within each statement. Most servers have no
-- private fork at a time, and are done at once.
create function hidden_private_forks(viewer bigint) returns setof bigint language plpgsql stable parallel safe rows 10 as $$
begin
  if not exists (select from repositories f where f.is_private_fork) then
    return;
  end if;
  return query select f.id from repositories f
    where f.is_private_fork
      and f.owner_id not in (select o.owner_id from owner_roles o where o.account_id = viewer and o.level >= 5)
      and f.id not in (select d.repository_id from direct_roles d where d.account_id = viewer and d.level > 0);
end $$;
