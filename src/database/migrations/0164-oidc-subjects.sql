-- The claims that make up the subject of a job's identity token. Null: what the organization says, or else the default.
create table oidc_organization_templates (
  organization_id bigint primary key references accounts on delete cascade,
  include_claim_keys text[] check (cardinality(include_claim_keys) > 0),
  use_immutable_subject boolean
);

create table oidc_repository_templates (
  repository_id bigint primary key references repositories on delete cascade,
  use_default boolean not null,
  include_claim_keys text[] check (cardinality(include_claim_keys) > 0),
  use_immutable_subject boolean
);

-- The custom properties of repositories that identity tokens tell of.
create table oidc_properties (
  property_id bigint primary key references custom_properties on delete cascade,
  created_at timestamptz not null
);
