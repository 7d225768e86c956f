-- The keys that sign identity tokens of jobs. One of them is active; the others verify what they have signed, for as long as that is good.
create table identity_keys (
  id bigint generated always as identity primary key,
  kid text not null unique,
  -- The public half, as a JSON web key.
  public_key jsonb not null,
  -- Sealed, as PKCS #8; null once the key was replaced.
  private_key bytea,
  created_at timestamptz not null,
  retired_at timestamptz,
  constraint identity_keys_private check ((private_key is null) = (retired_at is not null))
);
create unique index identity_keys_active on identity_keys ((true)) where retired_at is null;
