-- Secrets that kept somebody from pushing. By the placeholder, which the refusal names, they may say that the secret is no secret, or is to be
-- pushed nevertheless; until the bypass expires, it is.
create table secret_placeholders (
  id text primary key,
  repository_id bigint not null references repositories on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  secret_type text not null,
  digest bytea not null,
  created_at timestamptz not null,
  reason text,
  bypassed_at timestamptz,
  expires_at timestamptz,
  check ((reason is null) = (bypassed_at is null)),
  check ((reason is null) = (expires_at is null)),
  unique (repository_id, account_id, secret_type, digest)
);
create index secret_placeholders_digest on secret_placeholders (repository_id, digest) where bypassed_at is not null;
