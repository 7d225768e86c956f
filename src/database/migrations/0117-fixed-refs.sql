-- Refs that nobody can move or delete: the tags of immutable releases.
create table fixed_refs (
  repository_id bigint not null references repositories on delete cascade,
  ref text not null,
  primary key (repository_id, ref)
);
