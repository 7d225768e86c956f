-- A fork in a user's account that was made of a private repository goes when its owner can no longer read that. Who forked a public repository
-- needed no access, and keeps the fork when the repository becomes private.
alter table repositories add column forked_from_private boolean not null default false;
update repositories f set forked_from_private = true
  from repositories s, accounts o
  where s.id = f.source_id and o.id = f.owner_id and o.kind = 'user' and f.visibility = 'private' and s.visibility = 'private'
    and not exists (select from events e where e.repository_id = s.id and e.kind = 'repository.privatized');
create index repositories_forked_from_private on repositories (source_id) where forked_from_private;
