-- What builds tell that they used: the last submission of each detector and job for a ref.
create table dependency_snapshots (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  detector text not null,
  detector_version text not null,
  correlator text not null,
  ref text not null,
  commit_sha text not null,
  created_at timestamptz not null,
  unique (repository_id, ref, detector, correlator)
);
create index dependency_snapshots_commit on dependency_snapshots (repository_id, commit_sha);

-- Manifests are files, or parts of a snapshot. The latter have no blob.
alter table dependency_manifests
  add column snapshot_id bigint references dependency_snapshots on delete cascade,
  alter column blob_sha drop not null,
  add constraint dependency_manifests_source check ((blob_sha is null) = (snapshot_id is not null)),
  drop constraint dependency_manifests_repository_id_path_key;
create unique index dependency_manifests_file on dependency_manifests (repository_id, path) where snapshot_id is null;
create unique index dependency_manifests_snapshot on dependency_manifests (snapshot_id, path) where snapshot_id is not null;
create index dependency_manifests_repository on dependency_manifests (repository_id);

-- Builds may use packages of ecosystems that the server doesn't read: these have the package URL that they were submitted with.
alter table dependencies
  drop constraint dependencies_ecosystem_check,
  add column package_url text,
  add column license text,
  add constraint dependencies_ecosystem_known check (ecosystem in ('npm', 'pip', 'go', 'rust', 'maven') or package_url is not null);

-- What repositories depend on now: their files, and snapshots of their default branches.
create view current_dependency_manifests as
  select m.* from dependency_manifests m
  where m.snapshot_id is null or exists (
    select from dependency_snapshots s join repositories r on r.id = s.repository_id
    where s.id = m.snapshot_id and s.ref = 'refs/heads/' || r.default_branch);
