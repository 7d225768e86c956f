-- How many runs led to this one, each by the end of the one before: such chains are bounded.
alter table workflow_runs add column depth integer not null default 0;
