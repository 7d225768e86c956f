-- Where the workflow file of a run comes from if a rule required it: a repository, and the path of the file there. And the branch
-- with that rule, which the changes are to be merged into.
alter table workflow_runs add column workflow_repository_id bigint references repositories on delete set null;
alter table workflow_runs add column workflow_path text;
alter table workflow_runs add column required_for_ref text;
create index workflow_runs_workflow_repository on workflow_runs (workflow_repository_id) where workflow_repository_id is not null;

-- Whether a ruleset of the repository or of the organization has had a rule about workflows, so that events of others need no
-- statement to find out.
alter table repositories add column has_workflow_rules boolean not null default false;
alter table accounts add column has_workflow_rules boolean not null default false;
