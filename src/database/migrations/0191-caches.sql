-- What jobs keep for later runs, by the ref of their run, a key, and a version that says how it was made. It has an upload until it is whole.
create table caches (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  job_id bigint references workflow_jobs on delete set null,
  ref text not null,
  key text not null,
  version text not null,
  upload_id bigint references job_uploads on delete cascade,
  object_key text,
  size bigint,
  digest text,
  created_at timestamptz not null,
  last_accessed_at timestamptz not null,
  constraint caches_whole check (num_nulls(object_key, size, digest) = case when upload_id is null then 0 else 3 end)
);
create unique index caches_key on caches (repository_id, ref, version, key) where upload_id is null;
create unique index caches_begun on caches (job_id, version, key) where upload_id is not null;
create index caches_repository on caches (repository_id, last_accessed_at, id) where upload_id is null;
create index caches_unused on caches (last_accessed_at) where upload_id is null;
create index caches_job on caches (job_id);
create index caches_upload on caches (upload_id);
create index caches_object on caches (object_key);
