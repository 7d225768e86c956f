-- A password that somebody else has set, such as an administrator, is to be changed by its person at the next sign-in.
alter table accounts add column must_change_password boolean not null default false;

-- The token of the address by which an empty server gets its first administrator: one row at most. It ends when it is used.
create table first_start (
  only_row boolean primary key default true check (only_row),
  hash bytea not null,
  expires_at timestamptz not null
);
