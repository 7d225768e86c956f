-- Who watches or ignores a repository.
create table repository_subscriptions (
  repository_id bigint not null references repositories on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  ignored boolean not null default false,
  created_at timestamptz not null,
  primary key (repository_id, account_id)
);
create index repository_subscriptions_account on repository_subscriptions (account_id, repository_id);
create index repository_subscriptions_watchers on repository_subscriptions (repository_id, account_id) where not ignored;

-- Creators of existing repositories watch them, as those of new ones do.
insert into repository_subscriptions (repository_id, account_id, created_at)
  select r.id, r.created_by, r.created_at from repositories r join accounts a on a.id = r.created_by
  where a.kind = 'user' and r.parent_id is null
    and exists (select from repository_roles role where role.repository_id = r.id and role.account_id = a.id and role.level >= 3);
