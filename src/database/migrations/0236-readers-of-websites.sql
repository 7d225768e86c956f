-- Browsers that read a website which not everybody may see. Each belongs to a session of the sign-in pages, and ends with it.
create table pages_sessions (
  hash bytea not null,
  session_hash bytea not null references sessions on delete cascade,
  repository_id bigint not null references pages_sites on delete cascade,
  expires_at timestamptz not null,
  -- A session is always looked for at a website, which may have thousands.
  primary key (repository_id, hash),
  unique (session_hash, repository_id)
);
create index pages_sessions_expires on pages_sessions (expires_at);

-- Codes with which browsers come back from the sign-in pages to such a website. `nonce_hash` is of what the website gave the browser before.
create table pages_codes (
  hash bytea primary key,
  session_hash bytea not null references sessions on delete cascade,
  repository_id bigint not null references pages_sites on delete cascade,
  nonce_hash bytea not null,
  return_path text not null,
  expires_at timestamptz not null
);
create index pages_codes_session on pages_codes (session_hash);
create index pages_codes_repository on pages_codes (repository_id);
create index pages_codes_expires on pages_codes (expires_at);
