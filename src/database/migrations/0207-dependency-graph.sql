-- What repositories depend on: read from the manifests and lockfiles of their default branches. `reader` is the version of the parsers.
create table dependency_graphs (
  repository_id bigint primary key references repositories on delete cascade,
  commit_sha text,
  reader integer not null,
  read_at timestamptz not null
);

-- A file that names dependencies. `problem` says why it, or a part of it, couldn't be read.
create table dependency_manifests (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  path text not null,
  blob_sha text not null,
  problem text,
  unique (repository_id, path)
);

-- `version` is the one that is used, where the file says so; `requirement` what a manifest allows.
create table dependencies (
  id bigint generated always as identity primary key,
  manifest_id bigint not null references dependency_manifests on delete cascade,
  ecosystem text not null check (ecosystem in ('npm', 'pip', 'go', 'rust', 'maven')),
  name text not null,
  version text,
  requirement text,
  scope text not null check (scope in ('runtime', 'development')),
  relationship text not null check (relationship in ('direct', 'transitive', 'unknown'))
);
create index dependencies_manifest on dependencies (manifest_id);
create index dependencies_package on dependencies (ecosystem, name);
