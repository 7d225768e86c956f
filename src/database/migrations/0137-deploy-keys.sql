-- Deploy keys belong to a repository, where those of users belong to an account. Both are in one table: a key tells who comes by SSH,
-- so it is there once. `read_only` and `added_by` are those of deploy keys.
alter table public_keys
  alter column user_id drop not null,
  add column repository_id bigint references repositories on delete cascade,
  add column read_only boolean not null default false,
  add column added_by bigint references accounts on delete set null,
  add constraint public_keys_holder check (num_nonnulls(user_id, repository_id) = 1);
create index public_keys_repository on public_keys (repository_id, id);
create index public_keys_added_by on public_keys (added_by);
