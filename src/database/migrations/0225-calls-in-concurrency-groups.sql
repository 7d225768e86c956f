-- A job that calls a workflow has no row: in a concurrency group it stands by its key, for all jobs of that workflow together.
alter table concurrency_group_members
  add column call_key text,
  add column call_name text,
  -- Another one has cancelled the call: its jobs are ending.
  add column is_cancelled boolean not null default false,
  add constraint concurrency_group_members_of_one check (job_id is null or call_key is null),
  add constraint concurrency_group_members_call check ((call_key is null) = (call_name is null));
drop index concurrency_group_members_run;
create unique index concurrency_group_members_run on concurrency_group_members (run_id, job_id, call_key) nulls not distinct;
