-- What runs the jobs of hosted runners are runners for one job each, which only the server makes and nobody else sees.
alter table runners add column hosted_runner_id bigint references hosted_runners on delete cascade;
create index runners_hosted_runner on runners (hosted_runner_id) where hosted_runner_id is not null;
-- The hosted runner that a job was given to.
alter table workflow_jobs add column hosted_runner_id bigint references hosted_runners on delete set null;
create index workflow_jobs_hosted_runner on workflow_jobs (hosted_runner_id) where hosted_runner_id is not null;
