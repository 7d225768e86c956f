-- Who starred a repository. The row of the repository counts its stars.
create table stars (
  repository_id bigint not null references repositories on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  created_at timestamptz not null,
  primary key (repository_id, account_id)
);
create index stars_account on stars (account_id, created_at, repository_id);
create index stars_repository on stars (repository_id, created_at, account_id);
