-- Former names of branches, which lead to their present ones until a branch has such a name again.
create table branch_renames (
  repository_id bigint not null references repositories on delete cascade,
  name text not null,
  new_name text not null,
  created_at timestamptz not null,
  primary key (repository_id, name)
);
create index branch_renames_new_name on branch_renames (repository_id, new_name);
