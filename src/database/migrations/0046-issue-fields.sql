-- Fields that an organization gives the issues of all its repositories, and what issues hold in them.

create table issue_fields (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  name text not null,
  description text,
  data_type text not null check (data_type in ('text', 'date', 'single_select', 'multi_select', 'number')),
  visibility text not null check (visibility in ('organization_members_only', 'all')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index issue_fields_name on issue_fields (organization_id, lower(name));

-- Names are unique in a field without regard to case; its rules see to that, since a change may swap names.
create table issue_field_options (
  id bigint generated always as identity primary key,
  field_id bigint not null references issue_fields on delete cascade,
  name text not null,
  description text,
  color text not null check (color in ('gray', 'blue', 'green', 'yellow', 'orange', 'red', 'pink', 'purple')),
  priority integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index issue_field_options_field on issue_field_options (field_id);

-- One row for each value of an issue in a field; of several chosen options, one for each. An option takes its values along.
create table issue_field_values (
  id bigint generated always as identity primary key,
  issue_id bigint not null references issues on delete cascade,
  field_id bigint not null references issue_fields on delete cascade,
  option_id bigint references issue_field_options on delete cascade,
  text_value text,
  number_value double precision,
  date_value date,
  check (num_nonnulls(option_id, text_value, number_value, date_value) = 1)
);
create unique index issue_field_values_issue on issue_field_values (issue_id, field_id, option_id) nulls not distinct;
create index issue_field_values_field on issue_field_values (field_id);
create index issue_field_values_option on issue_field_values (option_id) where option_id is not null;
