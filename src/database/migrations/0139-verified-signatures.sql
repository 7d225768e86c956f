-- Commits and tags whose signatures were verified once. They stay verified when a key is removed or expires. A fork sees those of its source.
create table verified_signatures (
  repository_id bigint not null references repositories on delete cascade,
  oid text not null,
  -- Who signed; null where the account was deleted.
  account_id bigint references accounts on delete set null,
  verified_at timestamptz not null,
  primary key (repository_id, oid)
);
create index verified_signatures_account on verified_signatures (account_id);

-- Whose keys have signed.
create index ssh_signing_keys_any_user on ssh_signing_keys (fingerprint);
create index gpg_keys_key_id on gpg_keys (key_id);
