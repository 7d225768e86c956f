-- A refresh token ends with its token. What expires is found by its time, so that it can be removed.

delete from refresh_tokens where token_id is null;
alter table refresh_tokens
  alter column token_id set not null,
  drop constraint refresh_tokens_token_id_fkey,
  add constraint refresh_tokens_token_id_fkey foreign key (token_id) references tokens on delete cascade;
create index refresh_tokens_token on refresh_tokens (token_id);
create index refresh_tokens_expires on refresh_tokens (expires_at);
create index authorization_codes_expires on authorization_codes (expires_at);
create index device_codes_expires on device_codes (expires_at);
create index app_manifest_codes_expires on app_manifest_codes (expires_at);
create index sessions_expires on sessions (expires_at);
create index sessions_account on sessions (account_id, created_at);

-- Who was refused by which limit, for the administrator. Callers are named by their keys: they may be gone, or mere addresses.
create table limit_refusals (
  hour timestamptz not null,
  limit_name text not null,
  caller text not null,
  count integer not null,
  primary key (hour, limit_name, caller)
);
