-- Addresses from which an account signed in on the web, by the digest of the address (of IPv6, of its first 64 bits). Wrong passwords that
-- come from elsewhere don't keep the account's owner out there.
create table known_addresses (
  account_id bigint not null references accounts on delete cascade,
  address_hash bytea not null,
  last_used_at timestamptz not null,
  primary key (account_id, address_hash)
);
create index known_addresses_last_used on known_addresses (last_used_at);
