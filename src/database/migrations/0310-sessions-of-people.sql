-- Sessions are listed for their people, who may end each. `signed_in_at`: when the password was last entered.
alter table sessions add column id bigint generated always as identity unique;
alter table sessions add column signed_in_at timestamptz;
update sessions set signed_in_at = created_at;
alter table sessions alter column signed_in_at set not null;
alter table sessions add column last_used_at timestamptz;
alter table sessions add column address text not null default '';
alter table sessions add column agent text not null default '';
