-- When a workflow runs next by its schedule; null where its file has none.
alter table workflows add column next_run_at timestamptz;
create index workflows_next_run on workflows (next_run_at) where next_run_at is not null;
