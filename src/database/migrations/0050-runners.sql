-- Hosted runners of organizations, the groups that they stand in, and the images that organizations make of their own.

-- Every organization has one default group.
create table runner_groups (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  name text not null,
  is_default boolean not null default false,
  created_at timestamptz not null
);
create unique index runner_groups_name on runner_groups (organization_id, lower(name));
create unique index runner_groups_default on runner_groups (organization_id) where is_default;
insert into runner_groups (organization_id, name, is_default, created_at)
  select id, 'Default', true, created_at from accounts where kind = 'organization';

create table custom_images (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  name text not null,
  platform text not null,
  created_at timestamptz not null
);
create unique index custom_images_name on custom_images (organization_id, lower(name));

-- content is how the provider that keeps a version finds it again; null: no machine was kept.
create table custom_image_versions (
  id bigint generated always as identity primary key,
  image_id bigint not null references custom_images on delete cascade,
  major integer not null,
  minor integer not null,
  patch integer not null,
  size_gb integer not null,
  content text,
  created_at timestamptz not null
);
create unique index custom_image_versions_number on custom_image_versions (image_id, major, minor, patch);
create index custom_image_versions_content on custom_image_versions (content) where content is not null;

-- The image's name and size and the machine's numbers are those of the catalogue when the runner was set up: an operator may
-- replace the catalogue. A custom image's are its own. image_version: null follows the latest.
-- revision grows with each change, so that what a provider made of an older one isn't taken for the present.
create table hosted_runners (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  runner_group_id bigint not null references runner_groups,
  name text not null,
  status text not null check (status in ('Ready', 'Provisioning', 'Shutdown', 'Deleting', 'Stuck')),
  platform text not null,
  image_source text not null check (image_source in ('service', 'partner', 'custom')),
  image_id text not null,
  custom_image_id bigint references custom_images,
  image_version text,
  image_name text not null,
  image_size_gb integer not null,
  size_id text not null,
  cpu_cores integer not null,
  memory_gb integer not null,
  storage_gb integer not null,
  maximum_runners integer not null,
  static_ip boolean not null,
  image_gen boolean not null,
  public_ips text[] not null default '{}',
  last_active_on timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((image_source = 'custom') = (custom_image_id is not null))
);
create unique index hosted_runners_name on hosted_runners (organization_id, lower(name));
create index hosted_runners_organization on hosted_runners (organization_id, id);
create index hosted_runners_group on hosted_runners (runner_group_id);
create index hosted_runners_custom_image on hosted_runners (custom_image_id) where custom_image_id is not null;
create index hosted_runners_unsettled on hosted_runners (updated_at) where status in ('Provisioning', 'Deleting', 'Stuck');
