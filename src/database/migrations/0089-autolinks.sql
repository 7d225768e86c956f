-- References to other systems that texts of a repository may hold, as TICKET-123.
create table autolinks (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  key_prefix text not null,
  url_template text not null,
  is_alphanumeric boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index autolinks_key_prefix on autolinks (repository_id, lower(key_prefix));
