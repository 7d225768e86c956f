-- Websites that workflows bring: a deployment is a build of an artifact in the place of a commit. `commit_sha` is its version, as the workflow names it.
alter table pages_builds
  add column kind text not null default 'branch' check (kind in ('branch', 'artifact')),
  add column artifact_id bigint references artifacts on delete set null,
  drop constraint pages_builds_status_check,
  add check (status in ('queued', 'building', 'built', 'errored', 'cancelled'));
create index pages_builds_artifact on pages_builds (artifact_id) where artifact_id is not null;
create index pages_builds_version on pages_builds (repository_id, commit_sha) where kind = 'artifact';
