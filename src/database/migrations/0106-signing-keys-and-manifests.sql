-- Keys by which users sign commits, and manifests of apps that wait for their owners.

-- OpenPGP keys; a subkey names its primary key, and has no text of its own. Others may add the same key: it says who signs by the verified
-- addresses in it, and a stranger who adds it first must not keep its owner from it.
create table gpg_keys (
  id bigint generated always as identity primary key,
  user_id bigint not null references accounts on delete cascade,
  primary_key_id bigint references gpg_keys on delete cascade,
  name text,
  key_id text not null,
  fingerprint text not null,
  public_key text not null,
  raw_key text,
  emails text[] not null default '{}',
  can_sign boolean not null,
  can_encrypt_comms boolean not null,
  can_encrypt_storage boolean not null,
  can_certify boolean not null,
  revoked boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz
);
create unique index gpg_keys_fingerprint on gpg_keys (user_id, fingerprint) where primary_key_id is null;
create index gpg_keys_user on gpg_keys (user_id, id) where primary_key_id is null;
create index gpg_keys_primary_key on gpg_keys (primary_key_id, id) where primary_key_id is not null;

create table ssh_signing_keys (
  id bigint generated always as identity primary key,
  user_id bigint not null references accounts on delete cascade,
  title text not null,
  key text not null,
  fingerprint text not null,
  created_at timestamptz not null
);
create unique index ssh_signing_keys_fingerprint on ssh_signing_keys (user_id, fingerprint);
create index ssh_signing_keys_user on ssh_signing_keys (user_id, id);

-- A manifest that a site sent with a browser, until its owner has signed in and answered.
create table app_manifest_requests (
  hash bytea primary key,
  organization text,
  manifest jsonb not null,
  state text,
  expires_at timestamptz not null
);
create index app_manifest_requests_expires on app_manifest_requests (expires_at);
