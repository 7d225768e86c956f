-- What a job uploads, until it is whole and becomes an artifact or a cache: its bytes come in blocks, which a list joins.
create table job_uploads (
  id bigint generated always as identity primary key,
  job_id bigint not null references workflow_jobs on delete cascade,
  -- Where its objects lie in the object store.
  object_group text not null,
  -- The bytes that are allowed, and the name of the limit that says so.
  most_bytes bigint not null,
  limit_name text not null,
  -- The whole, once it is there.
  object_key text,
  size bigint,
  digest text,
  created_at timestamptz not null,
  constraint job_uploads_whole check (num_nulls(object_key, size, digest) in (0, 3))
);
create index job_uploads_job on job_uploads (job_id);
create index job_uploads_key on job_uploads (object_key);

create table job_upload_blocks (
  upload_id bigint not null references job_uploads on delete cascade,
  -- The name that the client gave it.
  name text not null,
  object_key text not null,
  size bigint not null,
  digest text not null,
  primary key (upload_id, name)
);
create index job_upload_blocks_key on job_upload_blocks (object_key);

-- Files that jobs leave behind. One has an upload until it is whole; one that expired keeps its row, and has no object.
create table artifacts (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  run_id bigint not null references workflow_runs on delete cascade,
  attempt integer not null,
  job_id bigint not null references workflow_jobs on delete cascade,
  name text not null,
  content_type text not null,
  upload_id bigint references job_uploads on delete cascade,
  object_key text,
  size bigint,
  digest text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint artifacts_whole check ((upload_id is null) = (size is not null) and (size is null) = (digest is null)),
  constraint artifacts_object check (object_key is null or size is not null)
);
create unique index artifacts_name on artifacts (run_id, attempt, name) where upload_id is null;
create unique index artifacts_begun on artifacts (job_id, name) where upload_id is not null;
create index artifacts_job on artifacts (job_id);
create index artifacts_upload on artifacts (upload_id);
create index artifacts_repository on artifacts (repository_id, id) where upload_id is null;
create index artifacts_run on artifacts (run_id, id) where upload_id is null;
create index artifacts_key on artifacts (object_key);
create index artifacts_expiry on artifacts (expires_at) where object_key is not null;
