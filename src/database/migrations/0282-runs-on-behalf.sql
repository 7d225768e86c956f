-- For whom the token of a job made a run, or ran it again: they may not approve its deployments themselves where nobody may.
alter table workflow_runs add column on_behalf_of_id bigint references accounts on delete set null;
create index workflow_runs_on_behalf_of on workflow_runs (on_behalf_of_id) where on_behalf_of_id is not null;
