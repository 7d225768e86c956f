-- Properties that an organization defines for its repositories. A default value belongs to a required property.
create table custom_properties (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  name text not null,
  value_type text not null check (value_type in ('string', 'single_select', 'multi_select', 'true_false', 'url')),
  required boolean not null,
  default_value text[] check (cardinality(default_value) > 0),
  description text,
  allowed_values text[],
  values_editable_by text not null check (values_editable_by in ('org_actors', 'org_and_repo_actors')),
  require_explicit_values boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (required = (default_value is not null)),
  check ((value_type in ('single_select', 'multi_select')) = (allowed_values is not null))
);
create unique index custom_properties_name on custom_properties (organization_id, lower(name));

-- The values that were set. Only those of a multi_select may be several.
create table custom_property_values (
  repository_id bigint not null references repositories on delete cascade,
  property_id bigint not null references custom_properties on delete cascade,
  value text[] not null check (cardinality(value) > 0),
  primary key (repository_id, property_id)
);
create index custom_property_values_property on custom_property_values (property_id);
