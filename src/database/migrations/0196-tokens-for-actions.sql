-- What a job's runner reads the actions of other repositories with, where these aren't public.
alter table workflow_jobs add column actions_token_id bigint references tokens on delete set null;
create index workflow_jobs_actions_token on workflow_jobs (actions_token_id);
