-- The workflow files that a run calls, as they were when it was made: what follows reads these, whatever becomes of them.
create table workflow_run_files (
  run_id bigint not null references workflow_runs on delete cascade,
  -- What names it in the files of the run: `./path` in the run's own commit, or `owner/repo/path@ref`.
  name text not null,
  -- Its full path with the ref as it was written, the ref that this is, and its commit. A commit that was named itself has no ref.
  path text not null,
  ref text,
  sha text not null,
  content text not null,
  primary key (run_id, name)
);
